//! Reading large circuits and SMV models: time and memory for each gate or define.

use super::reading::resident;
use super::{Figure, Goal, best};
use lariat_base::SourceMap;
use lariat_frontend::parse;
use lariat_system::{Context, Language};
use std::fmt::Write as _;

const N_GATES: usize = 1_000_000;
const N_BYTES: usize = 50_000_000;
const N_DEFINES: usize = 100_000;

/// Speed and memory of reading.
pub fn measure() -> Result<Vec<Figure>, String> {
    let gates = read(Language::Aiger, &gates(N_GATES), 3)?;
    let large = read(Language::Aiger, &gates_of(N_BYTES), 1)?;
    let chain = read(Language::Smv, &defines(N_DEFINES), 3)?;
    let seconds = |what: &str, value: f64, most: f64| Figure {
        what: what.into(),
        value,
        unit: "s",
        goal: Goal::AtMost(most),
        beside: String::new(),
    };
    Ok(vec![
        seconds("binary AIGER of 1,000,000 gates", gates.seconds, 1.5),
        Figure {
            what: "memory after loading, the text included".into(),
            value: gates.bytes / N_GATES as f64,
            unit: "bytes per gate",
            goal: Goal::AtMost(300.0),
            beside: String::new(),
        },
        seconds("binary AIGER of 50 MB", large.seconds, 60.0),
        seconds("SMV with a chain of 100,000 defines", chain.seconds, 5.0),
    ])
}

struct Reading {
    seconds: f64,
    bytes: f64,
}

fn read(language: Language, text: &str, times: usize) -> Result<Reading, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("large", text);
    let file = sources.file(id);
    let before = resident();
    let mut cx = Context::new();
    let parsed = parse(&mut cx, language, id, file);
    let bytes = resident().saturating_sub(before) + text.len();
    let system = parsed.map_err(|found| format!("the text is not read: {}", found[0].message))?;
    drop((cx, system));
    let (time, ok) = best(times, || {
        parse(&mut Context::new(), language, id, file).is_ok()
    });
    if !ok {
        return Err("the text was read once but not again".into());
    }
    Ok(Reading {
        seconds: time.as_secs_f64(),
        bytes: bytes as f64,
    })
}

/// A circuit of 1,000 latches and 1,000 inputs; each gate is of two earlier literals, spread over all of them.
fn gates(n: usize) -> String {
    const N: usize = 1000;
    let mut text = format!("aig {} {N} {N} 0 {n} 1\n", 2 * N + n);
    let last = 2 * (2 * N + n);
    for latch in 0..N {
        let _ = writeln!(text, "{}", last - 2 * latch);
    }
    let _ = writeln!(text, "{last}");
    let mut mixed: usize = 1;
    for gate in 0..n {
        let output = 2 * (2 * N + gate + 1);
        let mut earlier = || {
            // A linear congruence: spread, and the same everywhere.
            mixed = mixed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            2 + (mixed >> 33) % (output - 2)
        };
        let (a, b) = (earlier(), earlier());
        number(output - a.max(b), &mut text);
        number(a.max(b) - a.min(b), &mut text);
    }
    text
}

/// Such a circuit with a file of at least so many bytes.
fn gates_of(n_bytes: usize) -> String {
    // Two numbers of about four bytes each.
    gates(n_bytes / 6)
}

/// Seven bits in a byte, lowest first; one character for each byte, as files are read.
fn number(mut value: usize, text: &mut String) {
    while value >= 128 {
        text.push(char::from((value % 128 + 128) as u8));
        value /= 128;
    }
    text.push(char::from(value as u8));
}

fn defines(n: usize) -> String {
    let mut text = String::from("MODULE main VAR x : boolean; y : boolean; DEFINE d0 := x;\n");
    for i in 1..n {
        let _ = writeln!(text, "d{i} := d{} xor (x & y);", i - 1);
    }
    let _ = writeln!(text, "ASSIGN next(x) := d{};\nINVARSPEC d{}", n - 1, n / 2);
    text
}
