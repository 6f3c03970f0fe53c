//! Whether a text is a colour as browsers know it: what they do not know is shown as none, and nobody is told.

/// Digits, a function such as `hsl(…)`, or a name.
pub(super) fn is_color(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix('#') {
        return matches!(digits.len(), 3 | 4 | 6 | 8) && digits.chars().all(|c| c.is_ascii_hexdigit());
    }
    match text.split_once('(') {
        Some((function, rest)) => FUNCTIONS.contains(&function) && rest.ends_with(')') && rest.len() > 1,
        None => NAMES.split_whitespace().any(|name| name == text),
    }
}

const FUNCTIONS: [&str; 11] =
    ["rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix"];

const NAMES: &str = "\
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood \
    cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray \
    darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen \
    darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue \
    firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew \
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan \
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue \
    lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine \
    mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise \
    mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered \
    orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple \
    rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue \
    slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white \
    whitesmoke yellow yellowgreen";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_knows_is_a_color() {
        for good in ["#3366ff", "#FFF", "#3366ff80", "teal", "Tomato", "hsl(210 45% 30%)", "rgb(1, 2, 3)"] {
            assert!(is_color(good), "{good}");
        }
        for bad in ["", "#33", "#ggg", "3366ff", "bleu", "url(x)", "rgb(", "teal)"] {
            assert!(!is_color(bad), "{bad}");
        }
    }
}
