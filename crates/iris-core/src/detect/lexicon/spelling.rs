//! Other ways to write the same phrase: "下さい" for "ください", "確認" for "确认", "е" for "ё", "해주" for "해 주".

/// What may also be written so. Each holds for the whole phrase.
const WRITTEN: &[&[(&str, &str)]] = &[
    &[("ください", "下さい")],
    &[("いただ", "頂")],
    &[("よいで", "良いで")],
    &[("いいで", "良いで")],
    &[("てよい", "て良い")],
    &[("てもいい", "ても良い")],
    &[("よろし", "宜し")],
    &[("でき", "出来")],
    &[("해 주", "해주"), ("어 주", "어주"), ("여 주", "여주")],
    &[("ё", "е")],
];

/// Simplified characters of the phrases and the traditional ones.
const SIMPLE: &str = "请确认选择继续执吗还么这个现开审阅决说发给贴输结错误测试运问题让后时为来觉样进对应该过没无关闭删项骤权\
    获补传载远连户签录准备动调处级类数据库间检议论验证换导码话详细讲东两种实简单约复链内务条标围层队员设计";
const TRADITIONAL: &str = "請確認選擇繼續執嗎還麼這個現開審閱決說發給貼輸結錯誤測試運問題讓後時為來覺樣進對應該過沒無關閉刪項驟權\
    獲補傳載遠連戶簽錄準備動調處級類數據庫間檢議論驗證換導碼話詳細講東兩種實簡單約複鏈內務條標圍層隊員設計";

/// All other spellings of it, none twice.
pub(super) fn variants(words: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |variant: String| {
        if variant != words && !all.contains(&variant) {
            all.push(variant);
        }
    };
    for pairs in WRITTEN {
        add(pairs.iter().fold(words.to_owned(), |text, (from, to)| text.replace(from, to)));
    }
    if words.chars().any(|next| ('\u{4e00}'..='\u{9fff}').contains(&next)) {
        let traditional = |next: char| {
            let at = SIMPLE.chars().position(|simple| simple == next);
            at.and_then(|at| TRADITIONAL.chars().nth(at)).unwrap_or(next)
        };
        add(words.chars().map(traditional).collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_simplified_character_has_a_traditional_one() {
        assert_eq!(SIMPLE.chars().count(), TRADITIONAL.chars().count());
    }

    #[test]
    fn the_same_words_are_found_however_they_are_written() {
        for (words, other) in [
            ("貼ってください", "貼って下さい"),
            ("してもよろしい", "しても宜しい"),
            ("请确认", "請確認"),
            ("жду твоё решение", "жду твое решение"),
            ("알려 해 주세요", "알려 해주세요"),
        ] {
            assert!(variants(words).iter().any(|variant| variant == other), "{words}");
        }
        assert!(variants("please confirm").is_empty());
    }
}
