//! The questions of a survey, a quiz or an interview that the agent wrote down for others.

use crate::detect::lexicon::{Cue, Cues, Marked};
use crate::detect::page::{CODE, Ending, LineKind, Page, Sentence};

/// What such a list is called.
const NAMES: &[&str] = &[
    "survey",
    "quiz",
    "interview",
    "questionnaire",
    "poll ",
    "template",
    "checklist",
    "check-list",
    "agenda",
    "retro",
    "discussion guide",
    "postmortem",
    "post-mortem",
    "worksheet",
    "self-assessment",
    "feedback form",
    "faq",
    "help page",
    "umfrage",
    "fragebogen",
    "bewerbungsfragen",
    "vorlage",
    "checkliste",
    "leitfaden",
    "tagesordnung",
    "formular",
    "sondage",
    "ordre du jour",
    "entretien",
    "formulaire",
    "rétrospective",
    "guide d'",
    "encuesta",
    "cuestionario",
    "entrevista",
    "plantilla",
    "orden del día",
    "guion",
    "formulario",
    "sección de ayuda",
    "questionário",
    "pesquisa de",
    "roteiro",
    "pauta",
    "formulário",
    "sondaggio",
    "questionario",
    "colloquio",
    "intervista",
    "ordine del giorno",
    "scaletta",
    "traccia",
    "опрос",
    "анкет",
    "викторин",
    "собеседован",
    "интервью",
    "шаблон",
    "чек-лист",
    "чеклист",
    "повестк",
    "ретро",
    "dotazník",
    "anket",
    "šablon",
    "pohovor",
    "rozhovor",
    "kontrolní seznam",
    "osnov",
    "formulář",
    "问卷",
    "测验",
    "面试题",
    "問卷",
    "模板",
    "清单",
    "议程",
    "访谈",
    "提纲",
    "检查表",
    "アンケート",
    "クイズ",
    "面接",
    "テンプレート",
    "チェックリスト",
    "アジェンダ",
    "インタビュー",
    "議題",
    "설문",
    "퀴즈",
    "면접",
    "템플릿",
    "체크리스트",
    "안건",
    "인터뷰",
    "회고",
    "양식",
];
/// What may also be another thing: such a list if it is said to have questions.
const FORMS: &[&str] = &["modèle", "modelo", "modello", "modulo", "model", "form", "guide", "file"];
const QUESTIONS: &[&str] = &[
    "question",
    "prompts",
    "frage",
    "pregunta",
    "pergunta",
    "domand",
    "вопрос",
    "otázk",
    "dotaz",
    "问题",
    "質問",
    "질문",
];
/// That it has them.
const HAS: &[&str] = &[
    " has ",
    " have ",
    "contains",
    "includes",
    " asks",
    " lists",
    " hat ",
    "enthält",
    "umfasst",
    "fragt",
    "contient",
    "comporte",
    "comprend",
    " pose ",
    "posent",
    "tiene",
    "contiene",
    "incluye",
    " tem ",
    "contém",
    "inclui",
    " ha ",
    "comprende",
    "содержит",
    "obsahuje",
    "包含",
    "包括",
    "共有",
    "含まれ",
    "あります",
    "포함",
    "있습니다",
];
/// That it was written, beside what says of any work that it is done.
const WRITTEN: &[&str] = &[
    "wrote",
    "written",
    "generated",
    "drafted",
    "prepared",
    "put together",
    "is in \u{1}",
    "are in \u{1}",
    "now in \u{1}",
    "geschrieben",
    "angelegt",
    "vorbereitet",
    "entworfen",
    "ergänzt",
    "steht in",
    "liegt in",
    "stehen in",
    "rédigé",
    "créé",
    "ajouté",
    "préparé",
    "généré",
    "écrit",
    "est dans \u{1}",
    "añadí",
    "añadido",
    "agregué",
    "creé",
    "creado",
    "redact",
    "preparé",
    "preparado",
    "gener",
    "escrito",
    "está en \u{1}",
    "criei",
    "adicionei",
    "escrevi",
    "preparei",
    "redigi",
    "está em \u{1}",
    "aggiunto",
    "creato",
    "scritto",
    "preparato",
    "добавил",
    "написал",
    "создал",
    "подготовил",
    "составил",
    "сгенерировал",
    "лежит в",
    "přidal",
    "napsal",
    "vytvořil",
    "připravil",
    "sepsal",
    "vygeneroval",
    "写好",
    "写了",
    "添加了",
    "新增",
    "创建",
    "生成",
    "准备好",
    "整理",
    "作成しました",
    "追加しました",
    "書きました",
    "用意しました",
    "生成しました",
    "まとめました",
    "만들었",
    "추가했",
    "작성했",
    "준비했",
    "생성했",
    "정리했",
];
/// That they are still to be answered.
const OPEN: &[&str] = &[
    "open ",
    "before ",
    "remain",
    "need",
    "unclear",
    "offen",
    "bevor ",
    "bleib",
    "brauche",
    "unklar",
    "ouvert",
    "avant",
    "reste ",
    "restent",
    "besoin",
    "abiert",
    "antes de",
    "queda",
    "falta",
    "necesito",
    "em aberto",
    "preciso",
    "restam",
    "apert",
    "prima di",
    "restano",
    "manca",
    "прежде чем",
    "открыт",
    "остал",
    "нужн",
    "než ",
    "zbýv",
    "potřeb",
    "之前",
    "还需",
    "需要你",
    "需要您",
    "残って",
    "前に",
    "전에",
    "남은",
    "남았",
];

/// Which sentences are such questions, and what leads to them.
pub(super) fn find(page: &Page, marked: &Marked) -> Vec<bool> {
    let mut found = vec![false; page.sentences.len()];
    for lead in 0..found.len() {
        let said = page.text_of(&page.sentences[lead]);
        // What follows is looked at first: most sentences lead to no question.
        let questions = match page.sentences[lead].ending {
            Ending::Question => 0,
            Ending::Colon => listed(page, lead),
            _ if said.contains(CODE) => named_after(page, marked, lead).max(listed(page, lead)),
            _ => listed(page, lead),
        };
        if questions >= 2 && is_survey(page, marked, lead) {
            found[lead..=lead + questions].fill(true);
        }
    }
    found
}

fn is_survey(page: &Page, marked: &Marked, lead: usize) -> bool {
    let has = |said: &str, words: &[&str]| words.iter().any(|word| said.contains(word));
    let is_named = |said: &str| has(said, NAMES) || (has(said, FORMS) && has(said, QUESTIONS));
    let said = page.text_of(&page.sentences[lead]);
    // "The help page is written. It contains these entries:"
    let before = lead.checked_sub(1).map(|before| &page.sentences[before]);
    let before = before.filter(|before| before.line == page.sentences[lead].line && has(said, HAS));
    let is_written = marked.cues(lead).any(MADE) || has(said, WRITTEN);
    let is_made = is_written || (page.sentences[lead].ending == Ending::Colon && has(said, HAS)) || said.contains(CODE);
    let is_named = is_named(said) || before.is_some_and(|before| is_named(page.text_of(before)));
    is_made && is_named && !has(said, OPEN)
}

const MADE: Cues = Cues::of(&[Cue::Done, Cue::Present]);

/// How many items follow, if all of them begin with a question.
fn listed(page: &Page, lead: usize) -> usize {
    let items = page.sentences[lead + 1..].iter();
    let is_asked = |sentence: &&Sentence| {
        matches!(page.line_of(sentence).kind, LineKind::Item { .. }) && sentence.ending == Ending::Question
    };
    items.take_while(is_asked).count()
}

/// "They are in `file`. Among them: how …? What …?": how many follow in the same paragraph, none of them for the human.
fn named_after(page: &Page, marked: &Marked, lead: usize) -> usize {
    let paragraph = page.line_of(&page.sentences[lead]).paragraph;
    let leads = page.sentences.get(lead + 1).is_some_and(|next| page.text_of(next).contains(':'));
    let own = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course]);
    let is_asked = |&index: &usize| {
        let sentence = &page.sentences[index];
        let in_place = page.line_of(sentence).paragraph == paragraph;
        in_place && matches!(sentence.ending, Ending::Question | Ending::Colon) && !marked.cues(index).any(own)
    };
    if leads { (lead + 1..page.sentences.len()).take_while(is_asked).count() } else { 0 }
}

/// What was said names one.
pub(super) fn is_named(said: &str) -> bool {
    NAMES.iter().any(|name| said.contains(name))
}
