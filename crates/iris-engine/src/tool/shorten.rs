//! Texts that are too long for a model to read: their beginning and their end, with what is missing said in between.

/// How much of one text is shown.
pub const LONGEST: usize = 64 * 1024;

/// `whole` says where all of it is.
pub fn shorten(text: &str, most: usize, whole: &str) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let (head, tail) = (text.floor_char_boundary(most / 2), text.ceil_char_boundary(text.len() - most / 2));
    let left_out = tail - head;
    Some(format!("{}\n[… {left_out} bytes are left out here; {whole} …]\n{}", &text[..head], &text[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_long_text_are_kept() {
        assert_eq!(shorten("short", 5, "x"), None);
        let long = shorten("ääääää", 4, "look there").expect("too long");
        assert_eq!(long, "ä\n[… 8 bytes are left out here; look there …]\nä");
        // A character is not cut in two.
        assert_eq!(shorten("ääääää", 6, "x").expect("too long"), "ä\n[… 8 bytes are left out here; x …]\nä");
    }
}
