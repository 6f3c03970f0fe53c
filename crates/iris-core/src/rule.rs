//! Rules: decisions of a person that hold for a while. Each was made from one answer, has a scope and an end, and can be
//! taken back.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::RuleId;
use crate::question::{Answer, Detail, Draft, QuestionKind, Risk, Way, fit, named, what_is_asked};

named! {
    /// What a rule is about.
    RuleScope {
        /// The same action in the same team: its very bytes to approve, any wording of it to refuse.
        Deed = "deed",
        /// Any use of the tool in the team that is not riskier than the one that was decided.
        Tool = "tool",
        /// The same question, in the same team.
        Question = "question",
    }
}

impl RuleScope {
    /// The narrowest that a decision about this can have.
    pub fn of(detail: &Detail) -> Self {
        if matches!(detail, Detail::Approval { .. }) { Self::Deed } else { Self::Question }
    }
}

/// A rule that holds now.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub id: RuleId,
    pub scope: RuleScope,
    pub tool: Option<String>,
    pub deed: String,
    /// What was asked, the same for whatever asks alike. Nothing if it was an approval, of an action or in words.
    pub asked: Option<String>,
    /// Of the exact bytes that were decided about, if it was an approval.
    pub digest: Option<String>,
    /// The most an action may risk for the rule to let it through.
    pub risk: Option<Risk>,
    pub answer: Answer,
}

/// The answer that a rule gives. A refusal goes before everything else, and what cannot be read exactly passes by no rule.
pub fn decide<'a>(rules: &'a [Rule], draft: &Draft) -> Option<&'a Rule> {
    let fitting = || rules.iter().filter(|rule| fits(rule, draft));
    let refusing = fitting().find(|rule| matches!(rule.answer, Answer::Refuse { .. }));
    refusing.or_else(|| fitting().next().filter(|_| draft.detail.is_readable()))
}

fn fits(rule: &Rule, draft: &Draft) -> bool {
    match (rule.scope, &draft.detail) {
        // A refusal may be too broad without harm. An approval is worth nothing for other bytes, however alike the deed.
        (RuleScope::Deed | RuleScope::Question, _) => {
            let refuses = matches!(rule.answer, Answer::Refuse { .. });
            // The same bytes can come to more than they did: a link on the way of a path leads elsewhere now.
            let is_same = rule.digest == draft.digest && draft.risk <= rule.risk && may_pass(draft);
            (rule.deed == draft.deed || asks_alike(rule, draft)) && (refuses || is_same)
        }
        (RuleScope::Tool, Detail::Approval { tool, .. }) => {
            rule.tool.as_deref() == Some(tool) && draft.risk.is_some_and(|risk| Some(risk) <= rule.risk)
        }
        (RuleScope::Tool, _) => false,
    }
}

/// Leave is given for what has a digest. What was only found in a reply has none, and approves no action.
fn may_pass(draft: &Draft) -> bool {
    draft.kind != QuestionKind::Approval || draft.digest.is_some() || draft.way == Way::Detected
}

/// A question in other spaces or capitals is the same, as it is where answers are suggested, if the answer fits it. What asks
/// for leave is not: that is decided to the letter.
fn asks_alike(rule: &Rule, draft: &Draft) -> bool {
    let is_question =
        rule.scope == RuleScope::Question && draft.digest.is_none() && draft.kind != QuestionKind::Approval;
    is_question
        && rule.asked.is_some()
        && rule.asked == what_is_asked(&draft.detail)
        && fit(&draft.detail, rule.answer.clone()).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;
    use crate::agent::PermissionRequest;
    use crate::call::ToolNature;
    use crate::duration::Millis;
    use crate::question::risk::{Real, as_written};
    use crate::question::{OnDeadline, Policy};
    use crate::turn::{Ask, ToolAsk};

    fn draft(command: &str) -> Draft {
        draft_where(as_written, command)
    }

    fn policy(real: Real) -> Policy {
        let minutes = Millis(600_000);
        Policy {
            blocking: minutes,
            approval: minutes,
            error_recovery: minutes,
            shortest: minutes,
            longest: minutes,
            on_deadline: OnDeadline::Fail,
            real,
        }
    }

    fn draft_where(real: Real, command: &str) -> Draft {
        let input = RawValue::from_string(serde_json::json!({ "command": command }).to_string()).expect("JSON");
        let asked = PermissionRequest {
            request: "r".to_owned(),
            tool: "Bash".to_owned(),
            meaning: Box::new(ToolNature::Shell.into()),
            input,
            reason: None,
            plan: None,
            call: None,
        };
        Draft::of(&Ask::Permission(asked), "/p", &policy(real)).expect("it can be asked")
    }

    fn rule(scope: RuleScope, command: &str, answer: Answer) -> Rule {
        let made_from = draft(command);
        let tool = Some("Bash".to_owned());
        let Draft { deed, digest, risk, .. } = made_from;
        Rule { id: RuleId::new("1"), scope, tool, deed, asked: None, digest, risk, answer }
    }

    fn check(rules: &[Rule], command: &str, expected: Option<&Answer>) {
        assert_eq!(decide(rules, &draft(command)).map(|rule| &rule.answer), expected, "{command}");
    }

    #[test]
    fn a_rule_holds_for_its_scope_and_a_refusal_for_all_wordings() {
        let (yes, no) = (Answer::Approve { note: None }, Answer::Refuse { why: None });
        let exact = [rule(RuleScope::Deed, "make", yes.clone())];
        check(&exact, "make", Some(&yes));
        check(&exact, "make all", None);
        check(&exact, "make ", None);
        // What white space does is the shell's to say: here it decides whether the rest is a remark or a command.
        let remark = [rule(RuleScope::Deed, "echo ok # touch pwned", yes.clone())];
        check(&remark, "echo ok #\ntouch pwned", None);
        let tool = [rule(RuleScope::Tool, "make", yes.clone())];
        check(&tool, "cargo test", Some(&yes));
        check(&tool, "rm -rf /", None);
        let both = [rule(RuleScope::Tool, "make", yes), rule(RuleScope::Deed, "make docs", no.clone())];
        check(&both, "make  docs", Some(&no));
    }

    fn asked(kind: &str, response: &str, question: &str, options: &[&str]) -> Draft {
        let options: Vec<_> = options.iter().map(|label| serde_json::json!({ "label": label })).collect();
        let request = serde_json::json!({
            "question": question, "type": kind, "responseType": response, "options": options, "allowFreeText": options.is_empty(),
        });
        let question = serde_json::from_value(request).expect("a request");
        let ask = Ask::Tool(ToolAsk { request: "r".to_owned(), question, call: None });
        Draft::of(&ask, "/p", &policy(as_written)).expect("it can be asked")
    }

    fn rule_of(made_from: Draft, answer: &str) -> Rule {
        let asked = what_is_asked(&made_from.detail);
        let Draft { deed, digest, risk, .. } = made_from;
        let answer = Answer::Choose { values: vec![answer.to_owned()], note: None };
        Rule { id: RuleId::new("1"), scope: RuleScope::Question, tool: None, deed, asked, digest, risk, answer }
    }

    #[test]
    fn a_question_is_the_same_however_it_is_written_and_what_asks_for_leave_is_not() {
        let holds = |rule: &Rule, draft: &Draft| decide(std::slice::from_ref(rule), draft).is_some();
        let words = rule_of(asked("preference", "text", "Vim or Emacs?", &[]), "vim");
        assert!(holds(&words, &asked("preference", "text", "vim  or EMACS", &[])));
        assert!(!holds(&words, &asked("preference", "text", "Vim or Nano?", &[])));
        assert!(!holds(&words, &asked("preference", "choice", "Vim or Emacs?", &["vim", "emacs"])));
        let option = rule_of(asked("choice", "choice", "Which?", &["a", "b"]), "b");
        assert!(holds(&option, &asked("choice", "choice", "which", &["a", "b"])));
        assert!(!holds(&option, &asked("choice", "choice", "which", &["a", "c"])));
        let leave =
            Rule { answer: Answer::Approve { note: None }, ..rule_of(asked("approval", "approval", "Go?", &[]), "") };
        assert!(holds(&leave, &asked("approval", "approval", "Go?", &[])));
        assert!(!holds(&leave, &asked("approval", "approval", "go", &[])));
    }

    /// However the agent wants its answer.
    #[test]
    fn leave_in_words_is_for_all_that_was_shown() {
        let asked = |response: &str, options: Value, context: &str| {
            let question = serde_json::json!({
                "question": "May I reset the database?", "type": "approval", "responseType": response, "options": options,
                "context": context,
            });
            let question = serde_json::from_value(question).expect("a request");
            let ask = Ask::Tool(ToolAsk { request: "r".to_owned(), question, call: None });
            Draft::of(&ask, "/p", &policy(as_written)).expect("it can be asked")
        };
        let options = || serde_json::json!(["Go ahead", "Stop"]);
        for (response, options, yes) in [
            ("choice", options(), "Go ahead"),
            ("text", serde_json::json!([]), "yes"),
            ("boolean", options(), "yes"),
            ("approval", options(), "yes"),
        ] {
            let staging = asked(response, options.clone(), "host: staging");
            let answer = fit(&staging.detail, Answer::Choose { values: vec![yes.to_owned()], note: None });
            let rule = Rule { answer: answer.expect("it fits"), ..rule_of(staging.clone(), yes) };
            let holds = |draft: &Draft| decide(std::slice::from_ref(&rule), draft).is_some();
            assert!(holds(&staging), "{response}");
            let production = asked(response, options.clone(), "host: PRODUCTION");
            assert_ne!(staging.digest, production.digest, "{response}");
            assert!(!holds(&production), "{response}");
            let bare = Draft { digest: None, ..production };
            let of_old = Rule { digest: None, risk: bare.risk, ..rule.clone() };
            assert!(decide(std::slice::from_ref(&of_old), &bare).is_none(), "{response}: a rule of an older Iris");
            let no = Rule { answer: Answer::Refuse { why: None }, ..of_old };
            assert!(decide(&[no], &bare).is_some(), "{response}: a no holds");
        }
    }

    #[test]
    fn a_rule_does_not_hold_for_more_than_was_decided() {
        let swapped: Real = |path| path.replace("/p/data", "/elsewhere");
        for scope in [RuleScope::Deed, RuleScope::Tool] {
            let yes = [rule(scope, "cat data", Answer::Approve { note: None })];
            assert!(decide(&yes, &draft("cat data")).is_some(), "{scope}");
            assert!(decide(&yes, &draft_where(swapped, "cat data")).is_none(), "{scope}");
            let no = [rule(scope, "cat data", Answer::Refuse { why: None })];
            let refused = decide(&no, &draft_where(swapped, "cat data")).is_some();
            assert_eq!(refused, scope == RuleScope::Deed, "{scope}");
        }
    }
}
