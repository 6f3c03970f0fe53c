//! A post, a mail or another text that the agent wrote for others: what it asks is not asked of the human.

use crate::detect::page::{Ending, LineKind, Page, Sentence};

/// What such a text is called.
const NAMES: &[&str] = &[
    "draft",
    "post",
    "email",
    "e-mail",
    "mail",
    "message",
    "tweet",
    "thread",
    "letter",
    "announcement",
    "caption",
    "entwurf",
    "beitrag",
    "nachricht",
    "anschreiben",
    "brouillon",
    "courriel",
    "lettre",
    "annonce",
    "borrador",
    "publicación",
    "correo",
    "mensaje",
    "rascunho",
    "publicação",
    "mensagem",
    "bozza",
    "messaggio",
    "черновик",
    "пост",
    "письмо",
    "сообщение",
    "草稿",
    "帖子",
    "邮件",
    "郵件",
    "文案",
    "下書き",
    "投稿",
    "メール",
    "초안",
    "게시글",
    "게시물",
    "메일",
];
/// A heading of more words than this says something, and names nothing.
const FEW: usize = 4;

/// Which sentences stand in such a text: after its name and before a rule, with more to be said behind that.
pub(super) fn find(page: &Page) -> Vec<bool> {
    let mut found = vec![false; page.sentences.len()];
    let paragraph = |sentence: &Sentence| page.line_of(sentence).paragraph;
    let first_from = |rule: u32| page.sentences.partition_point(|sentence| paragraph(sentence) < rule);
    let starts: Vec<usize> = page.rules.iter().map(|&rule| first_from(rule)).collect();
    for &end in starts.iter().filter(|&&end| 0 < end && end < page.sentences.len()) {
        let from = starts.iter().copied().filter(|&start| start < end).max().unwrap_or(0);
        let leads = from > 0 && is_lead(page, from - 1);
        let headed = || (from..end).find(|&index| is_title(page, index)).map(|title| title + 1);
        if let Some(start) = leads.then_some(from).or_else(headed) {
            found[start..end].fill(true);
        }
    }
    found
}

/// "Here is the post:"
fn is_lead(page: &Page, index: usize) -> bool {
    page.sentences[index].ending == Ending::Colon && is_named(page, index) || is_title(page, index)
}

fn is_title(page: &Page, index: usize) -> bool {
    let line = page.line_of(&page.sentences[index]);
    let few = page.text_of(&page.sentences[index]).split_whitespace().count() <= FEW;
    (line.kind == LineKind::Heading || line.bold) && few && is_named(page, index)
}

fn is_named(page: &Page, index: usize) -> bool {
    let said = page.text_of(&page.sentences[index]);
    NAMES.iter().any(|name| {
        let is_word = |at: usize| name.is_ascii() && said[..at].ends_with(char::is_alphanumeric);
        said.match_indices(name).any(|(at, _)| !is_word(at))
    })
}
