//! "Give me a moment", "I'm waiting for the build": whether what is wanted is only time.

use crate::detect::lexicon::{Cue, Hit};
use crate::detect::page::Page;

const TIMES: &[&str] = &[
    "second",
    "sec",
    "moment",
    "minute",
    "min",
    "bit",
    "sekunde",
    "augenblick",
    "instant",
    "seconde",
    "segundo",
    "segundito",
    "momento",
    "momentito",
    "minuto",
    "minutinho",
    "rato",
    "ratito",
    "instante",
    "secondo",
    "secondi",
    "attimo",
    "istante",
    "minuti",
    "секунд",
    "минут",
    "момент",
];
const SIGNS: &[&str] = &["时间", "時間", "秒", "分钟", "分鐘", "一会", "片刻"];
const ENDS: &[&str] = &["", "s", "n", "en", "у", "ы", "очку", "очек", "ку", "ки"];
const GO_ON: &[&str] = &[
    "to",
    "while",
    "and",
    "until",
    "please",
    "more",
    "i",
    "i'll",
    "um",
    "während",
    "und",
    "bitte",
    "bis",
    "pour",
    "pendant",
    "le",
    "que",
    "et",
    "mientras",
    "para",
    "y",
    "enquanto",
    "e",
    "pra",
    "até",
    "per",
    "mentre",
    "che",
    "и",
    "пока",
    "чтобы",
    "на",
    "я",
];
const POLITE: &[&str] = &["bitte", "please", "just", "kurz", "por", "favor"];
const THE: &[&str] = &["the", "die", "den", "das", "le", "la", "el", "il"];

/// "Give me a moment while it loads": nothing is to be given.
pub(super) fn wants_time(page: &Page, index: usize, ask: Hit) -> bool {
    if ask.cue != Cue::Request {
        return false;
    }
    let end = page.sentences[index].said.end;
    let clause = page.said[ask.start..end].split(['，', ',', '。']).next().unwrap_or_default();
    if clause.contains("给我") || clause.contains("給我") {
        return SIGNS.iter().any(|sign| clause.contains(sign)) && clause.chars().count() <= 14;
    }
    begins_with_time(&page.said[ask.end..end])
}

fn begins_with_time(rest: &str) -> bool {
    let is_time = |word: &str| {
        let word = word.trim_end_matches(|next: char| !next.is_alphanumeric());
        TIMES.iter().any(|time| word.strip_prefix(time).is_some_and(|end| ENDS.contains(&end)))
    };
    let mut words = rest.split_whitespace().filter(|word| !POLITE.contains(word)).peekable();
    // "Give me the minute when it failed".
    if words.peek().is_some_and(|first| THE.contains(first)) {
        return false;
    }
    let Some(time) = words.by_ref().take(4).find(|word| is_time(word)) else { return false };
    let stops = !time.ends_with(char::is_alphanumeric);
    stops || words.next().is_none_or(|next| GO_ON.contains(&next) || !next.starts_with(char::is_alphanumeric))
}

/// "Both agents run. I'm waiting for the results": for what runs, and not for the human.
pub(super) fn waits_for_a_run(page: &Page, index: usize, ask: Hit) -> bool {
    const WAITS: &[&str] = &[
        "wait",
        "warte",
        "aguard",
        "aspett",
        "attend",
        "esper",
        "жду",
        "ожида",
        "čekám",
        "在等",
        "等待",
        "待ち",
        "기다",
    ];
    const RUNS: &[&str] = &[
        "result",
        "ergebnis",
        "résultat",
        "risultat",
        "výsled",
        "notif",
        "benachrichtig",
        "meldung",
        "oznám",
        "build",
        "agent",
        "test",
        "job",
        "task",
        "pipeline",
        "ci",
        "lauf",
        "ende",
        "complet",
        "conclus",
        "término",
        "termine",
        "fim",
        "fin",
        "dokonč",
        "результат",
        "уведомл",
        "заверш",
        "сборк",
    ];
    const SIGNS: &[&str] = &["结果", "通知", "完成", "構建", "构建", "任务", "结束"];
    const YOURS: &[&str] = &[
        "your",
        "you",
        "dein",
        "deine",
        "deinen",
        "deiner",
        "ton",
        "ta",
        "tes",
        "votre",
        "vos",
        "tu",
        "tus",
        "su",
        "sus",
        "seu",
        "seus",
        "sua",
        "suas",
        "tuo",
        "tua",
        "tuoi",
        "ваш",
        "вашего",
        "ваших",
        "твой",
        "твоего",
        "tvůj",
        "tvoje",
    ];
    let said = &page.said[page.sentences[index].said.start..page.sentences[index].said.end];
    let waits = WAITS.iter().any(|wait| page.said[ask.start..ask.end].contains(wait));
    if !waits || !matches!(ask.cue, Cue::Wait | Cue::Request) || said.contains(['你', '您']) {
        return false;
    }
    let rest =
        page.said[ask.end..page.sentences[index].said.end].split([',', ';', '—', '，']).next().unwrap_or_default();
    // "I'm waiting for the" may be all of the phrase, or only the beginning of it.
    let words = || rest.split(|next: char| !next.is_alphanumeric()).filter(|word| !word.is_empty()).take(5);
    let own = page.said[ask.start..ask.end].split(' ');
    let runs = words().any(|word| RUNS.iter().any(|run| word.starts_with(run)));
    (runs || SIGNS.iter().any(|sign| rest.starts_with(sign))) && !words().chain(own).any(|word| YOURS.contains(&word))
}
