//! Parsing and lowering a large XSTS.

use super::{Figure, Goal, best};
use lariat_base::SourceMap;
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language, System};

const N_BYTES: usize = 20_000_000;

/// Speed and memory of reading.
pub fn measure() -> Result<Vec<Figure>, String> {
    let text = lariat_testkit::large_xsts(N_BYTES, 1);
    let n_bytes = text.len() as f64;
    // The baseline: how fast the words of the text can be walked over at all.
    let (scan, n_words) = best(3, || text.split_ascii_whitespace().count());
    let mut sources = SourceMap::new();
    let id = sources.add("large.xsts", text);
    let file = sources.file(id);

    let before = resident();
    let mut cx = Context::new();
    let parsed = parse(&mut cx, Language::Xsts, id, file);
    let grown = resident().saturating_sub(before) as f64;
    let system = parsed.map_err(|f| format!("the text is not read: {}", f[0].message))?;
    check(&mut cx, &system.system)?;
    drop(cx);

    let (time, ok) = best(3, || {
        parse(&mut Context::new(), Language::Xsts, id, file).is_ok()
    });
    if !ok {
        return Err("the text was read once but not again".into());
    }
    let seconds = time.as_secs_f64();
    Ok(vec![
        Figure {
            what: format!("XSTS of {:.1} MB, {n_words} words", n_bytes / 1e6),
            value: n_bytes / 1e6 / seconds,
            unit: "MB/s",
            goal: Goal::AtLeast(20.0),
            beside: format!(
                "{:.1} times as long as splitting it at blanks",
                seconds / scan.as_secs_f64()
            ),
        },
        Figure {
            what: "memory after loading, the text included".into(),
            value: 1.0 + grown / n_bytes,
            unit: "bytes per byte",
            goal: Goal::AtMost(15.0),
            beside: String::new(),
        },
    ])
}

/// The system must survive printing and reading.
fn check(cx: &mut Context, system: &System) -> Result<(), String> {
    let mut sources = SourceMap::new();
    let id = sources.add("again.xsts", print(cx, system));
    let again = parse(cx, Language::Xsts, id, sources.file(id));
    let again = again.map_err(|f| format!("what is printed is not read: {}", f[0].message))?;
    if again.system.same(system, cx) {
        Ok(())
    } else {
        Err("what is printed is another system".into())
    }
}

/// Resident memory in bytes, where Linux tells.
pub fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|word| word.parse().ok());
    pages.unwrap_or(0_usize) * 4096
}
