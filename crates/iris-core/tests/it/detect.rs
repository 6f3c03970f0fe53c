//! How good detection is on `tests/replies/labelled.jsonl`: replies written for this purpose, each with what a person
//! reading it would say. They say what the rules are meant to do; they are no measure of replies nobody has seen.

use std::collections::BTreeMap;

use iris_core::detect::{DetectSettings, Detection, detect};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reply {
    id: String,
    lang: String,
    text: String,
    needs_answer: bool,
    kind: String,
    question: Option<Question>,
    options: Vec<String>,
    /// It means something else after other text: a greeting.
    #[serde(default)]
    alone: bool,
}

#[derive(Deserialize)]
struct Question {
    start: usize,
    end: usize,
}

fn replies() -> Vec<Reply> {
    let lines = include_str!("../replies/labelled.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[derive(Default)]
struct Score {
    right: usize,
    missed: usize,
    false_alarms: usize,
}

impl Score {
    fn add(&mut self, wanted: bool, found: bool) {
        match (wanted, found) {
            (true, true) => self.right += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => {}
        }
    }

    fn f1(&self) -> f64 {
        let twice = 2.0 * self.right as f64;
        twice / (twice + (self.missed + self.false_alarms) as f64).max(1.0)
    }
}

/// Overall and by language, with what went wrong in words.
fn score(replies: &[Reply], text: impl Fn(&Reply) -> String) -> (Score, BTreeMap<String, Score>, Vec<String>) {
    let (mut all, mut languages, mut wrong) = (Score::default(), BTreeMap::<String, Score>::new(), Vec::new());
    for reply in replies {
        let found = detect(&text(reply), &DetectSettings::default());
        all.add(reply.needs_answer, found.needs_answer());
        languages.entry(reply.lang.clone()).or_default().add(reply.needs_answer, found.needs_answer());
        if reply.needs_answer != found.needs_answer() {
            wrong.push(format!("{}: {:.2} {}", reply.id, found.confidence, found.reason));
        }
    }
    (all, languages, wrong)
}

#[test]
fn whether_an_answer_is_needed() {
    let replies = replies();
    assert!(replies.len() >= 300, "only {} replies", replies.len());
    let (all, languages, wrong) = score(&replies, |reply| reply.text.clone());
    println!("{} replies, F1 {:.3}; wrong: {wrong:#?}", replies.len(), all.f1());
    assert!(all.f1() >= 0.95, "F1 {:.3}; {wrong:#?}", all.f1());
    for (language, score) in languages {
        println!("{language}: F1 {:.3} of {}", score.f1(), score.right + score.missed);
        assert!(score.f1() >= 0.9, "{language}: F1 {:.3}; {wrong:#?}", score.f1());
    }
}

/// What agents write before they come to the point.
const BEFORE: &str = "## Summary

**Root cause:** the worker acknowledged the message before the row was committed. What does the fix do? It moves the
acknowledgement behind the commit.

| case | before | after |
|---|---|---|
| crash before the commit | lost? | sent again |

```go
if err := commit(ctx); err != nil { return err } // retry?
```

1. `worker/consume.go`: the order of the steps
2. `worker/consume_test.go`: two new tests

";

#[test]
fn the_same_at_the_end_of_a_longer_reply() {
    let replies: Vec<Reply> = replies().into_iter().filter(|reply| !reply.alone && reply.text.len() < 600).collect();
    let (all, _, wrong) = score(&replies, |reply| format!("{BEFORE}{}", reply.text));
    assert!(all.f1() >= 0.95, "F1 {:.3}; {wrong:#?}", all.f1());
}

#[test]
fn which_kind_which_sentence_and_which_options() {
    let replies = replies();
    let found = |reply: &Reply| detect(&reply.text, &DetectSettings::default());
    let share = |name: &str, of: Vec<bool>| {
        let share = of.iter().filter(|&&right| right).count() as f64 / of.len() as f64;
        println!("{name}: {share:.3} of {}", of.len());
        share
    };
    for reply in &replies {
        let found = found(reply);
        if found.kind.as_str() != reply.kind || plain(&found.options) != plain(&reply.options) {
            println!(
                "{}: {} {:?}, found {} {:?}",
                reply.id,
                reply.kind,
                reply.options,
                found.kind.as_str(),
                found.options
            );
        }
    }
    let kinds = replies.iter().map(|reply| found(reply).kind.as_str() == reply.kind).collect();
    assert!(share("kind", kinds) >= 0.93);
    let asked = || replies.iter().filter(|reply| reply.needs_answer);
    let spans = asked().map(|reply| overlap(reply, &found(reply)) > 0.8).collect();
    assert!(share("question", spans) >= 0.93);
    let options = asked().filter(|reply| !reply.options.is_empty());
    let options = options.map(|reply| plain(&found(reply).options) == plain(&reply.options)).collect();
    // The weakest part: what is left out is still answered in one's own words.
    assert!(share("options", options) >= 0.6);
}

/// Without marks, which one may or may not count as part of an option.
fn plain(options: &[String]) -> Vec<String> {
    options.iter().map(|option| option.replace(['*', '`'], "").trim_end_matches(['.', '?']).trim().to_owned()).collect()
}

fn overlap(reply: &Reply, found: &Detection) -> f64 {
    let (Some(wanted), Some(found)) = (&reply.question, &found.question) else { return 0.0 };
    let both = found.end.min(wanted.end).saturating_sub(found.start.max(wanted.start));
    let either = found.end.max(wanted.end) - found.start.min(wanted.start);
    both as f64 / either as f64
}

#[test]
fn the_confidence_is_how_often_it_is_right() {
    let replies = replies();
    let settings = DetectSettings::default();
    let pairs: Vec<(f64, bool)> =
        replies.iter().map(|reply| (detect(&reply.text, &settings).confidence, reply.needs_answer)).collect();
    let squares: f64 = pairs.iter().map(|(confidence, asks)| (confidence - f64::from(u8::from(*asks))).powi(2)).sum();
    let brier = squares / pairs.len() as f64;
    assert!(brier <= 0.03, "the mean square of the error is {brier:.3}");
}
