//! The name of one of several: "Option A: …".

use super::is_unspaced;

/// What one of several is called, before its number or letter.
const LABELS: &[&str] = &[
    "option",
    "variant",
    "variante",
    "approach",
    "alternative",
    "plan",
    "path",
    "route",
    "solution",
    "strategy",
    "choice",
    "opción",
    "opcion",
    "alternativa",
    "opção",
    "opcao",
    "opzione",
    "soluzione",
    "solución",
    "solução",
    "möglichkeit",
    "lösung",
    "weg",
    "вариант",
    "варіант",
    "решение",
    "varianta",
    "možnost",
    "opcja",
    "optie",
    "方案",
    "选项",
    "方式",
    "案",
    "プラン",
    "方法",
    "選択肢",
    "옵션",
    "방안",
    "방법",
];

/// `Option A: …`, `**Variante 2** – …`, `方案一：…`, `1안) …`, `🅰️ …`
pub(super) fn begins(content: &str) -> bool {
    let plain = content.trim_start_matches(['*', '_', ' ', '(']);
    if plain.starts_with(['🅰', '🅱']) {
        return true;
    }
    let digits = plain.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 1 && plain[digits..].starts_with('안') {
        return true;
    }
    let lower: String = plain.chars().take(24).flat_map(char::to_lowercase).collect();
    let Some(rest) = LABELS.iter().filter_map(|label| lower.strip_prefix(label)).min_by_key(|rest| rest.len()) else {
        return false;
    };
    // "Options are many" names none of them.
    let apart = rest.starts_with([' ', '#']) || lower.starts_with(is_unspaced) || lower.starts_with(['옵', '방']);
    let rest = rest.trim_start_matches([' ', '#']);
    let mut signs = rest.chars();
    let named = signs.next().is_some_and(|sign| sign.is_ascii_alphanumeric() || "一二三四五六七八九十".contains(sign));
    let after = signs.next();
    apart
        && named
        && after.is_none_or(|next| {
            matches!(next, ':' | '：' | ')' | '）' | '.' | '*' | ' ' | '（' | '、' | ',' | '–' | '—' | '-')
        })
        && !signs.as_str().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_has_a_name() {
        let named = [
            "Option A: keep it",
            "**Variante 2** – neu",
            "**方案一**：前端",
            "案1: Cookie",
            "1안) 컬럼",
            "🅰️ Ship",
            "Plan B (safe)",
        ];
        for line in named {
            assert!(begins(line), "{line}");
        }
        for line in [
            "Options are many",
            "Plan the work",
            "Option",
            "Path: /tmp/x",
            "Approach it slowly",
            "Way out",
            "方案中 没有",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
