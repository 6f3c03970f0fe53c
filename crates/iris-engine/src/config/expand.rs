//! `${VAR}` and `${VAR:-default}` in the config, for values of every type: the text is filled in before it is read. `$${`
//! is a `${` that is meant as it stands.

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{trouble}")]
pub struct ExpandError {
    pub line: usize,
    pub column: usize,
    trouble: Trouble,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Trouble {
    #[error("the environment has no {name}; set it, or write ${{{name}:-a default}}")]
    Missing { name: String },
    #[error("'${{' is never closed")]
    Open,
    #[error("'${{{inside}}}' names no variable; write ${{NAME}} or ${{NAME:-a default}}")]
    NoName { inside: String },
    #[error("{name} has several lines, which a config value cannot have")]
    SeveralLines { name: String },
}

pub fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
    let mut expanded = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        expand_line(line, index + 1, &variable, &mut expanded)?;
    }
    Ok(expanded)
}

fn expand_line(
    line: &str,
    number: usize,
    variable: &impl Fn(&str) -> Option<String>,
    expanded: &mut String,
) -> Result<(), ExpandError> {
    // What a comment says is not a value.
    if line.trim_start().starts_with('#') {
        expanded.push_str(line);
        return Ok(());
    }
    let comment = find_comment(line);
    let mut rest = line;
    let wrong = |rest: &str, trouble| {
        let before = line.len() - rest.len();
        ExpandError { line: number, column: line[..before].chars().count() + 1, trouble }
    };
    while let Some(start) = rest.find("${") {
        if let Some(before) = rest[..start].strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = &rest[start + 2..];
            continue;
        }
        expanded.push_str(&rest[..start]);
        let (here, inside) = (&rest[start..], &rest[start + 2..]);
        // What may be a comment behind a value may also be a line of a longer text: it is filled in if it can be.
        let may_stay = comment.is_some_and(|at| line.len() - here.len() > at);
        let Some(end) = inside.find('}') else {
            if may_stay {
                rest = here;
                break;
            }
            return Err(wrong(here, Trouble::Open));
        };
        let (name, default) = match inside[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inside[..end], None),
        };
        let given = variable(name).filter(|value| !value.is_empty() || default.is_none());
        let value = match given.or_else(|| default.map(str::to_owned)) {
            Some(value) if !value.contains('\n') => value,
            _ if may_stay => here[..2 + end + 1].to_owned(),
            Some(_) => return Err(wrong(here, Trouble::SeveralLines { name: name.to_owned() })),
            None => return Err(wrong(here, missing(name))),
        };
        expanded.push_str(&value);
        rest = &inside[end + 1..];
    }
    expanded.push_str(rest);
    Ok(())
}

/// A bracket further on may have closed what was not meant to reach so far.
fn missing(name: &str) -> Trouble {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_of_a_name) {
        Trouble::Missing { name: name.to_owned() }
    } else if name.contains(|c: char| c.is_whitespace() || "\"'{,".contains(c)) {
        Trouble::Open
    } else {
        Trouble::NoName { inside: name.to_owned() }
    }
}

/// Where a comment behind a value begins: at a `#` after a space that is in no quotes. A quote counts where a value may
/// begin; an apostrophe in a word is none.
fn find_comment(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before == ' ' => return Some(at),
            None if matches!(c, '"' | '\'') && " [{,".contains(before) => quote = Some(c),
            None => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let variable = |name: &str| match name {
            "PORT" => Some("1700".to_owned()),
            "EMPTY" => Some(String::new()),
            "TWO" => Some("a\nb".to_owned()),
            _ => None,
        };
        let found = expand(text, variable).map_err(|error| format!("{}:{}: {error}", error.line, error.column));
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn values_of_every_type_are_filled_in() {
        check("port: ${PORT}", Ok("port: 1700"));
        check("port: ${NONE:-1615}", Ok("port: 1615"));
        check("a: ${EMPTY:-x} ${PORT}", Ok("a: x 1700"));
        check("# ${NONE} is not set\nb: 1", Ok("# ${NONE} is not set\nb: 1"));
        check("a: {} # ${NONE}", Ok("a: {} # ${NONE}"));
        check("a: $${PORT} ${PORT} $x $$", Ok("a: ${PORT} 1700 $x $$"));
        check("a: '$${' # $${NONE}", Ok("a: '${' # ${NONE}"));
        check("a: it's # ${NONE} or ${PORT} ${TWO} ${", Ok("a: it's # ${NONE} or 1700 ${TWO} ${"));
        check("a: 'x # ${NONE}'", Err("1:9: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check(r#"a: "x\" # ${NONE}""#, Err("1:11: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: x#${NONE}", Err("1:6: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: 1\nb: ${NONE}", Err("2:4: the environment has no NONE; set it, or write ${NONE:-a default}"));
        check("a: ${PORT", Err("1:4: '${' is never closed"));
        check("a: { b: \"${PORT\" }", Err("1:10: '${' is never closed"));
        check("a: \"${}\"", Err("1:5: '${}' names no variable; write ${NAME} or ${NAME:-a default}"));
        check("a: ${my-port}", Err("1:4: '${my-port}' names no variable; write ${NAME} or ${NAME:-a default}"));
        check("a: ${TWO}", Err("1:4: TWO has several lines, which a config value cannot have"));
    }
}
