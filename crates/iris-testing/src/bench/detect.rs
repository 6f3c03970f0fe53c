//! How long it takes to see whether a reply asks for something.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use iris_core::detect::{DetectSettings, detect};

use super::{Figure, Plan};

const MEGABYTE: usize = 1 << 20;

pub fn measure(plan: &Plan) -> Result<Vec<Figure>> {
    let typical = typical()?;
    let russian = "Я изменил чтение настроек и добавил проверку, тесты проходят. ".repeat(12) + "Продолжить?";
    let chinese = "我修改了配置的读取方式，并且补充了测试，现在全部通过。".repeat(20) + "需要我继续吗？";
    let prose =
        "The parser reads a line, checks it, and hands it on. Why? Because it is faster.\n".repeat(MEGABYTE / 80);
    let code = format!("```\n{}```\nShall I apply it?", "let x = value? + 1; // ok?\n".repeat(MEGABYTE / 28));
    let quiet = "All of it was done and nothing is left to do here at all.\n".repeat(MEGABYTE / 58);
    let micro = |name: &str, text: &str| {
        let name = format!("detect: {name}, {} bytes, p50", text.len());
        Figure::new(name, median_us(plan.rounds(4000), text), "µs").at_most(50.0)
    };
    let long = |name: &str, text: &str| {
        let value = median_us(plan.rounds(400), text) / 1000.0;
        Figure::new(format!("detect: {name}, 1 MB, p50"), value, "ms").at_most(2.0)
    };
    Ok(vec![
        micro("a typical reply", &typical),
        micro("a reply in Russian", &russian),
        micro("a reply in Chinese", &chinese),
        long("prose with questions", &prose),
        long("code", &code),
        long("no question mark", &quiet),
    ])
}

/// Headings, a list, code, a table and a question: about what agents write at the end of a turn.
fn typical() -> Result<String> {
    let mut text = String::from("## Summary\n\nThe worker acknowledged a message before its row was committed.\n\n");
    for number in 1..=6 {
        writeln!(text, "{number}. `worker/consume_{number}.go`: the order of the steps, and a test for it")?;
    }
    text.push_str("\n| case | before | after |\n|---|---|---|\n| crash | lost? | redelivered |\n\n");
    text.push_str("```go\nif err := commit(ctx); err != nil {\n    return err // retry?\n}\n```\n\n");
    text.push_str(&"The handler can now run twice without harm, because it looks for the row first. ".repeat(6));
    text.push_str("\n\nWould you like me to update the documentation as well?\n");
    Ok(text)
}

fn median_us(rounds: usize, text: &str) -> f64 {
    let settings = DetectSettings::default();
    // The phrases are put together once, before anything is measured.
    black_box(detect(text, &settings));
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let began = Instant::now();
            black_box(detect(black_box(text), &settings));
            began.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
