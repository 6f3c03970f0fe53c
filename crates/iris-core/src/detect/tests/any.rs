//! Any text gets an answer.

use proptest::prelude::*;

use super::*;

/// Pieces that mean something to the detector, and some that only look so.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "Shall I go on?",
        "Let me know if ",
        "please ",
        "?",
        "？",
        "¿",
        "。",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "a) ",
        "# ",
        "> ",
        "```",
        "`",
        "**",
        "_",
        "\"",
        "'",
        "«",
        "»",
        "「",
        "」",
        "(",
        ")",
        "[x](",
        "](",
        "<a ",
        ">",
        "http://",
        "or ",
        " o ",
        "还是",
        "需要我",
        "吗",
        "か",
        "까요",
        "İ",
        "🎉 ",
        "\u{200b}",
        "\u{307}",
        "e\u{301}",
        "1️⃣",
        "①",
        ": ",
        "; ",
        ".",
        "…",
        "which one",
        "|",
        "A: ",
        "т.е. ",
        "\t",
        "\r\n",
        "：",
        "（",
        "）",
        "，",
        "？",
        "。",
        "、",
        "„",
        "“",
        "¿",
        "(",
        ")",
        "\n\n",
        "\n{\"question\": {\"type\": \"blocking\", \"text\": \"",
        "\n```json\n{",
        "\"Question\": ",
        "\"type\": \"choice\", ",
        "“text”: ”",
        "{",
        "}",
        "}}\n",
        "[",
        "]",
        ",",
        "\\",
        "None",
        "//",
        "/*",
        "I asked: ",
        "you said ",
        "the survey has questions:\n",
    ];
    let words = lexicon::list_phrases().into_iter().map(|words| words + " ").collect::<Vec<_>>();
    let known = proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned);
    prop_oneof![3 => known, 3 => proptest::sample::select(words), 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_text_gets_an_answer_that_fits_it(pieces in proptest::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        for settings in [DetectSettings::default(), DetectSettings::new(0.0, false)] {
            let found = detect(&text, &settings);
            prop_assert!((0.0..=1.0).contains(&found.confidence));
            prop_assert!(!found.reason.is_empty());
            prop_assert_eq!(found.question.is_some(), found.waiting != Waiting::None);
            prop_assert!(found.options.is_empty() || found.waiting == Waiting::Ask);
            prop_assert!(found.options.iter().all(|option| !option.trim().is_empty()));
            if let Some(span) = found.question {
                let inside: String = text.chars().skip(span.start).take(span.end - span.start).collect();
                prop_assert_eq!(&inside, &span.text);
                prop_assert!(!inside.trim().is_empty());
            }
        }
    }
}

#[test]
fn a_lone_mark_after_a_wide_line_says_nothing() {
    let text = "The harbour has three cranes, and each of them is looked after by a crew of four\n`\n\"";
    assert_eq!(found(text).waiting, Waiting::None);
}
