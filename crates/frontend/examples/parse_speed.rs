//! Speed and memory of reading a large XSTS: `cargo run --release -p lariat-frontend --example
//! parse_speed [megabytes | file]`.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "it reports to a person"
)]

use lariat_base::SourceMap;
use lariat_frontend::{language_of, parse};
use lariat_system::{Context, Language};
use std::time::Instant;

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "20".into());
    let (text, language) = match argument.parse::<usize>() {
        Ok(megabytes) => (
            lariat_testkit::large_xsts(megabytes << 20, 1),
            Language::Xsts,
        ),
        Err(_) => (
            std::fs::read_to_string(&argument).expect("a readable file"),
            language_of(&argument).expect("a known extension"),
        ),
    };
    let n_bytes = text.len();
    let mut map = SourceMap::new();
    let id = map.add("large", text);
    let mut cx = Context::new();
    let before = resident();
    let (start, cpu_start) = (Instant::now(), cpu_seconds());
    let parsed = parse(&mut cx, language, id, map.file(id));
    let (time, cpu) = (start.elapsed(), cpu_seconds() - cpu_start);
    let grown = resident().saturating_sub(before);
    match &parsed {
        Ok(_) => println!(
            "{} terms, {} statements",
            cx.terms.n_terms(),
            cx.stmts.len()
        ),
        Err(findings) => println!("{:?}", findings.first()),
    }
    println!(
        "{:.1} MB/s ({:.1} MB per second of processor time), {:.1} bytes of memory per byte",
        n_bytes as f64 / 1e6 / time.as_secs_f64(),
        n_bytes as f64 / 1e6 / cpu.max(0.01),
        grown as f64 / n_bytes as f64
    );
}

/// Resident memory in bytes, where Linux tells.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

/// Processor time of this process in seconds, where Linux tells (in hundredths).
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    let ticks = fields.filter_map(|word| word.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
