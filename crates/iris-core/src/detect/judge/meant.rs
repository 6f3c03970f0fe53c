//! Whether words that ask are meant so, or tell of what others want and do.

use super::later;
use super::patience::{waits_for_a_run, wants_time};
use super::plea::begins_with_if;
use crate::detect::lexicon::{Cue, Cues, Hit, Marked};
use crate::detect::page::{CODE, Ending, Page, QUOTED};

pub(super) fn is_meant(page: &Page, marked: &Marked, index: usize, ask: Hit) -> bool {
    let not = [
        names_quoted,
        is_denied,
        is_told_of,
        is_their_own,
        is_if_needed,
        is_put_elsewhere,
        is_whichever,
        wants_time,
        waits_for_a_run,
        tells_by_itself,
        wants_a_view,
        is_to_be_checked,
        is_copied_from_here,
        later::asks_later,
        later::is_said_to_others,
        later::is_ready_any_time,
        later::is_sent_elsewhere,
        later::was_done_without,
    ];
    !not.iter().any(|not| not(page, index, ask))
        && !waits_for_more(marked, index, ask)
        && !tidies_up(marked, index, ask)
        && !is_whatever_next(page, marked, index, ask)
        && !is_after_if(page, marked, index, ask)
}

/// "Done. I'm waiting for your next instructions": for whatever comes.
fn waits_for_more(marked: &Marked, index: usize, ask: Hit) -> bool {
    let is_near = |hit: &Hit| hit.cue == Cue::More && ask.start <= hit.start && hit.start <= ask.end + 24;
    matches!(ask.cue, Cue::Wait | Cue::Confirm | Cue::Request)
        && marked.cues(index).has(Cue::More)
        && !(ask.cue == Cue::Request && marked.cues(index).has(Cue::Reached))
        && marked.hits(index).iter().any(is_near)
}

/// "Tell me what you'd like to do next": closes as the question would, unless something went wrong before it.
fn is_whatever_next(page: &Page, marked: &Marked, index: usize, ask: Hit) -> bool {
    const NEXT: &[&str] =
        &[" next", "als nächstes", " ensuite", "a continuación", " a seguir", "in seguito", " дальше", " dál"];
    const WISHES: &[&str] = &[
        "what you'd like",
        "what you would like",
        "what you want",
        "was du möchtest",
        "was du",
        "was sie",
        "wohin",
        "womit",
        "where to",
        "where you",
        "où ",
        "dónde",
        "onde ",
        "dove ",
        "куда",
        "ce que tu",
        "ce que vous",
        "qué quieres",
        "qué te gustaría",
        "o que quer",
        "o que você quer",
        "cosa vuoi",
        "что хоти",
        "что хоче",
        "co chce",
    ];
    let said = page.text_of(&page.sentences[index]).trim_end_matches(|next: char| !next.is_alphanumeric());
    ask.cue == Cue::Request
        && NEXT.iter().any(|next| said.ends_with(next))
        && WISHES.iter().any(|wish| said.contains(wish))
        && !(index.saturating_sub(3)..index).any(|before| marked.cues(before).has(Cue::Failure))
}

/// "When you're done looking, tell me and I'll remove it": what was wanted is there already.
fn tidies_up(marked: &Marked, index: usize, ask: Hit) -> bool {
    let undo = marked.hits(index).iter().rfind(|hit| hit.cue == Cue::Undo);
    let looked = marked.first(index, Cues::of(&[Cue::Looked]));
    ask.cue == Cue::Request && looked.zip(undo).is_some_and(|(looked, undo)| looked.end <= undo.start)
}

/// "Try it and tell me what you think": the work is done.
fn wants_a_view(page: &Page, index: usize, ask: Hit) -> bool {
    const VIEWS: &[&str] = &[
        "what you think",
        "was du denkst",
        "was du davon hältst",
        "was sie davon halten",
        "wie du es findest",
        "ce que tu en penses",
        "ce que vous en pensez",
        "qué te parece",
        "qué opinas",
        "qué tal",
        "o que acha",
        "o que achou",
        "o que você ach",
        "cosa ne pensi",
        "che ne pensi",
        "что думае",
        "что скаже",
        "как вам",
        "как тебе",
        "你的感受",
        "效果如何",
        "效果怎么样",
        "感想",
    ];
    const TRIES: &[&str] = &[
        "try",
        "test",
        "probier",
        "essaie",
        "essaye",
        "prueba",
        "pruébalo",
        "prova",
        "experimente",
        "попробуй",
        "проверь",
        "试",
        "試",
    ];
    let said = page.text_of(&page.sentences[index]);
    let tries = |word: &str| TRIES.iter().any(|tries| word.starts_with(tries));
    ask.cue == Cue::Request && VIEWS.iter().any(|view| said.contains(view)) && said.split([' ', '，']).any(tries)
}

/// "Copy this block and replace the old one": what is copied is the agent's own.
fn is_copied_from_here(page: &Page, index: usize, ask: Hit) -> bool {
    const COPIES: &[&str] = &["copy", "скопируй", "복사", "붙여넣"];
    const OWN: &[&str] = &["this ", "these ", "above", "этот ", "эту ", "эти ", "выше", "이 코드", "이 내용", "위 "];
    const TO_AGENT: &[&str] = &[" here", "to me", "chat", "сюда", "мне", "чат", "여기", "채팅"];
    let said = page.text_of(&page.sentences[index]);
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    let copies = COPIES.iter().any(|copies| page.said[ask.start..ask.end].contains(copies));
    ask.cue == Cue::Request && copies && has(OWN) && !has(TO_AGENT)
}

/// "Confirm the version and clear the cache": one of the things to do, and not a yes to the agent.
fn is_to_be_checked(page: &Page, index: usize, ask: Hit) -> bool {
    const JOINS: &[&str] = &[" and ", " e ", " y ", " et "];
    const OWN: &[&str] =
        &[" i ", " i'", " eu ", " je ", " j'", " me ", "antes ", "before ", "avant ", " seguir", " para "];
    const THE: &[&str] = &["the", "o", "a", "os", "as", "el", "la", "los", "las", "le", "les", "l", "su", "seu", "sua"];
    const ASKS: &[&str] = &["and ", "e ", "y ", "et ", "se ", "si ", "que ", "if ", "whether ", "that ", "to ", "qual"];
    let words = &page.said[ask.start..ask.end];
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| rest.contains(phrase));
    let named = !ASKS.iter().any(|asks| rest.trim_start().starts_with(asks));
    let bare = words.starts_with("confirm") && !words.contains(' ');
    // "Confirm that the flag is set before running": a step of what is to be run.
    const RUNS: &[&str] =
        &["before running", "before you ", "antes de rodar", "antes de executar", "antes de ejecutar"];
    if ask.cue == Cue::Confirm && words.starts_with("confirm") && RUNS.iter().any(|runs| rest.contains(runs)) {
        return true;
    }
    // "… the name and the region" are two things to confirm.
    let joins_deed = |join: &'static str| {
        rest.match_indices(join).any(|(at, join)| {
            let next = rest[at + join.len()..].split([' ', '\'']).next().unwrap_or_default();
            !THE.contains(&next)
        })
    };
    ask.cue == Cue::Confirm && bare && named && JOINS.iter().any(|join| joins_deed(join)) && !has(OWN)
}

/// "It will ping me when it's done", "结束后会通知我": what runs says so, and nobody is asked to.
fn tells_by_itself(page: &Page, index: usize, ask: Hit) -> bool {
    const TELLS: &[&str] = &["通知我", "告诉我", "告訴我", "提醒我", "告知我", "叫我", "喊我", "反馈给我", "发给我"];
    const BY_ITSELF: &[&str] = &["会", "會", "将", "自动", "自動", "会自动", "会主动", "会再", "就会", "系统", "脚本"];
    const WILL: &[&str] = &["will", "it'll", "that'll", "they'll", "would", "automatically", "can"];
    const PINGS: &[&str] = &["ping me", "tell me", "let me know", "come back", "report back", "get back", "send me"];
    const THIRD: &[&str] = &["o", "a", "os", "as", "ele", "ela", "isso", "esse", "essa"];
    const AVISA: &[&str] = &["me avisa", "me diz", "me informa", "me fala", "me chama", "me manda"];
    let said = &page.said[page.sentences[index].said.start..ask.end];
    let (before, words) = said.split_at(ask.start - page.sentences[index].said.start);
    let by_itself =
        |tells: &&str| said.rfind(*tells).is_some_and(|at| BY_ITSELF.iter().any(|will| said[..at].ends_with(will)));
    if TELLS.iter().any(by_itself) {
        return !said.contains(['你', '您']);
    }
    let clause = before.rsplit([',', ';', ':', '—', '–', '(']).next().unwrap_or(before);
    let (first, last) = (clause.split_whitespace().next(), clause.split_whitespace().next_back());
    let to_human = clause.split([' ', '\'']).any(|word| word == "you");
    // "I set it up to ping me".
    let set_up = last == Some("to") && first.is_some_and(|first| ["i", "i've", "it"].contains(&first));
    let will =
        (set_up || last.is_some_and(|last| WILL.contains(&last))) && PINGS.iter().any(|ping| words.starts_with(ping));
    let third = first.is_some_and(|first| THIRD.contains(&first)) && AVISA.iter().any(|avisa| words.starts_with(avisa));
    ask.cue == Cue::Request && !to_human && (will && first != last || third)
}

/// "Whichever option you choose, restart it": it holds for all of them.
fn is_whichever(page: &Page, index: usize, ask: Hit) -> bool {
    const ANY: &[&str] = &[
        "no matter ",
        "regardless of ",
        "irrespective of ",
        "egal ",
        "egal, ",
        "unabhängig davon, ",
        "peu importe ",
        "sin importar ",
        "independentemente de ",
        "não importa ",
        "indipendentemente da ",
        "независимо от того, ",
        "неважно, ",
        "无论",
        "不管",
    ];
    let before = &page.said[page.sentences[index].said.start..ask.start];
    ask.cue == Cue::Pick && ANY.iter().any(|any| before.ends_with(any))
}

/// "If the list is still empty:" and in the next line "send me the log": what is wanted may never be.
fn is_after_if(page: &Page, marked: &Marked, index: usize, ask: Hit) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let (lead, sentence) = (&page.sentences[before], &page.sentences[index]);
    let near = page.line_of(lead).paragraph == page.line_of(sentence).paragraph && lead.ending == Ending::Colon;
    ask.cue == Cue::Request && near && marked.cues(before).has(Cue::Still) && begins_with_if(page, before)
}

/// "The file has three questions: "…", "…" and "…"": what it wants is quoted, and so somebody else's.
fn names_quoted(page: &Page, index: usize, ask: Hit) -> bool {
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    let colon = rest.find([':', '：']).filter(|&at| at <= 40);
    let quoted = colon.map(|at| rest[at..].trim_start_matches([':', '：', ' ']));
    ask.cue == Cue::Request && quoted.is_some_and(|rest| rest.starts_with(QUOTED) && rest.matches(QUOTED).count() >= 2)
}

/// "Run it again and, if it still fails, write to me": what is wanted may never be.
fn is_if_needed(page: &Page, _: usize, ask: Hit) -> bool {
    const IFS: &[&str] =
        &[" if ", " falls ", " wenn ", " si ", " se ", " caso ", " если ", " s'il ", "如果", "要是", "万一"];
    let words = &page.said[ask.start..ask.end];
    // At its beginning it is a part of what asks: "if this looks right", "or if you prefer".
    let first = words.split(' ').next().unwrap_or_default();
    let from = if ["or", "oder", "ou", "o", "или"].contains(&first.trim_end_matches(',')) { first.len() } else { 0 };
    ask.cue == Cue::Request && IFS.iter().any(|word| words.find(word).is_some_and(|at| at > from))
}

/// "No changes needed from you", "不需要你提供": nothing is wanted.
fn is_denied(page: &Page, index: usize, ask: Hit) -> bool {
    const NEEDS: &[&str] = &[
        "need", "require", "brauch", "benötig", "besoin", "necesit", "precis", "serv", "нуж", "треб", "需要", "必要",
        "필요",
    ];
    const NOTHING: &[&str] = &[
        "no",
        "nothing",
        "none",
        "nichts",
        "kein",
        "keine",
        "aucun",
        "aucune",
        "rien",
        "nada",
        "ningún",
        "ninguna",
        "nenhum",
        "nenhuma",
        "niente",
        "nessun",
        "nessuna",
        "ничего",
        "никаких",
    ];
    let before = &page.said[page.sentences[index].said.start..ask.start];
    let clause = before.rsplit([',', ';', ':', '—', '–', '，', '；', '：', '(']).next().unwrap_or(before);
    let first = clause.split_whitespace().next().unwrap_or_default();
    let denied = NOTHING.contains(&first) || ["不", "无", "無", "不再", " не "].iter().any(|no| before.ends_with(no));
    denied && NEEDS.iter().any(|need| page.said[ask.start..ask.end].contains(need))
}

/// "The script will read the file and send the report", "Next, provide the flag": what others do, and how to do it.
fn is_told_of(page: &Page, index: usize, ask: Hit) -> bool {
    const OTHERS: &[&str] =
        &["the", "it", "this", "that", "they", "a", "an", "these", "those", "each", "both", "every", "users"];
    const OWN: &[&str] = &["i'm", "i'll", "i", "let", "we", "we'll", "next"];
    const DEEDS: &[&str] =
        &["provide ", "share ", "send ", "post ", "paste ", "describe ", "choose ", "pick ", "select "];
    const OTHER_SIGNS: &[&str] = &["用户", "客户", "玩家", "系统", "程序", "脚本", "服务器", "自动"];
    const STEPS: &[&str] =
        &["next, ", "then ", "finally, ", "to run", "to use", "to test", "to start", "to deploy", "to install"];
    const AUXILIARY: &[&str] = &[" will ", " can ", " to ", " would ", " could ", "s ", " may "];
    let sentence = page.text_of(&page.sentences[index]);
    let before = &sentence[..ask.start - page.sentences[index].said.start];
    // Another clause may be to the human: "The log is cut off: send the rest".
    let clause = before.rsplit([';', ':', '—', '–', '(']).next().unwrap_or(before);
    let first = clause.split_whitespace().next().unwrap_or_default();
    let words = &page.said[ask.start..ask.end];
    let joins = words.starts_with("and ") || words.starts_with("then ");
    let is_deed = joins || DEEDS.iter().any(|deed| words.starts_with(deed)) || words == "provide";
    let does = OTHERS.contains(&first) && AUXILIARY.iter().any(|word| clause.contains(word));
    let is_step = STEPS.iter().any(|step| sentence.starts_with(step));
    let for_agent = [" me", " i'll", " i can", " here"].iter().any(|words| sentence.contains(words));
    // "我会把结果发给管理员": the agent does it, or somebody else.
    let by_itself = words.starts_with(['把', '将']) && before.ends_with(['会', '我']);
    // "The form asks people to reply "yes" or "no"".
    let by_others = words.starts_with("reply") && OTHERS.contains(&first) && before.ends_with(" to ");
    let by_users = by_itself || by_others || OTHER_SIGNS.iter().any(|user| before.ends_with(user));
    if by_users {
        return true;
    }
    is_deed && !for_agent && (does || is_step || (joins && OWN.contains(&first)))
}

/// "Once you confirm the address, you can log in": what comes of it is theirs.
fn is_their_own(page: &Page, index: usize, ask: Hit) -> bool {
    const WHEN: &[&str] = &["once you", "after you", "when you", "if you"];
    const THEIRS: &[&str] =
        &[", you can", ", you'll", ", you will", ", you're", ", you should", ", it ", ", the ", ", github"];
    let words = &page.said[ask.start..ask.end];
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| rest.contains(phrase));
    ask.cue == Cue::Confirm && WHEN.iter().any(|when| words.starts_with(when)) && has(THEIRS) && !has(&[" i ", " i'"])
}

/// "Create a token and paste it into `.env`": it is put into a file, not given to the agent.
fn is_put_elsewhere(page: &Page, index: usize, ask: Hit) -> bool {
    const PASTES: &[&str] = &[
        "paste",
        "cole",
        "cola",
        "colle",
        "pega",
        "péga",
        "incolla",
        "вставь",
        "füge",
        "粘贴",
        "贴",
        "貼り付け",
        "붙여넣",
    ];
    const INTO: &[&str] = &["into", " in ", "dans", " en ", " no ", " na ", " nel ", " in ", " в ", "到", "に", "에"];
    let sentence = page.text_of(&page.sentences[index]);
    let words = &page.said[ask.start..ask.end];
    let puts = PASTES.iter().any(|paste| words.contains(paste));
    let goes_into = |word: &str| {
        sentence.match_indices(word).any(|(at, word)| {
            let (before, after) = (&sentence[..at], &sentence[at + word.len()..]);
            let in_file = |rest: &str| rest.chars().take(24).any(|next| next == CODE);
            if word.starts_with(['に', '에']) {
                before.trim_end().ends_with(CODE) || before.ends_with("파일")
            } else {
                in_file(after)
            }
        })
    };
    puts && INTO.iter().any(|word| goes_into(word))
}
