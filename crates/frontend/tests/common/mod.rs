//! Text in, text out: what the tests of the front end share.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::format_collect, reason = "a test need not be fast")]

use lariat_base::{Diagnostic, Severity, SourceFile, SourceMap, Span};
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language, System};

/// A text and what was read from it.
pub struct Loaded {
    pub cx: Context,
    pub map: SourceMap,
    pub system: System,
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model, or gives the findings one per line.
pub fn load(language: Language, name: &str, text: &str) -> Result<Loaded, String> {
    let mut cx = Context::new();
    let mut map = SourceMap::new();
    let id = map.add(name, text);
    let file: SourceFile = map.file(id).clone();
    match parse(&mut cx, language, id, &file) {
        Ok(parsed) => Ok(Loaded {
            cx,
            map,
            system: parsed.system,
            warnings: parsed.warnings,
        }),
        Err(findings) => {
            assert!(
                findings.iter().any(|d| d.severity == Severity::Error),
                "a failure has an error"
            );
            Err(show(&file, &findings))
        }
    }
}

/// `id line:column message (hint)`, one per line.
pub fn show(file: &SourceFile, findings: &[Diagnostic]) -> String {
    let line = |finding: &Diagnostic| {
        let place = |span: Span| {
            let (line, column) = file.line_column(span.start);
            format!("{line}:{column}")
        };
        let at = finding
            .primary
            .as_ref()
            .map_or(String::new(), |a| place(a.span));
        let hints: String = finding
            .hints
            .iter()
            .map(|hint| format!(" ({hint})"))
            .collect();
        format!("{} {at} {}{hints}\n", finding.id, finding.message)
    };
    findings.iter().map(line).collect()
}

/// Prints, reads again, and compares.
pub fn round_trip(loaded: &mut Loaded) -> Result<String, String> {
    let text = print(&loaded.cx, &loaded.system);
    let id = loaded.map.add("printed", text.clone());
    let file = loaded.map.file(id).clone();
    let language = loaded.system.language;
    let again = parse(&mut loaded.cx, language, id, &file)
        .map_err(|findings| format!("{}\n{text}", show(&file, &findings)))?;
    if loaded.system.same(&again.system, &loaded.cx) {
        return Ok(text);
    }
    let second = print(&loaded.cx, &again.system);
    // Scripts of SMT-LIB group long conjunctions by their definitions, and those that are printed have others: the text is the same.
    let is_script = matches!(language, Language::Vmt | Language::Moxi);
    if is_script && text == second {
        Ok(text)
    } else {
        Err(format!(
            "differs after a round trip:\n{text}\n--- then ---\n{second}"
        ))
    }
}

/// The printed form of a model that survives a round trip, or the findings.
pub fn check(language: Language, text: &str) -> String {
    match load(language, "test", text) {
        Ok(mut loaded) => round_trip(&mut loaded).unwrap_or_else(|error| panic!("{error}")),
        Err(findings) => findings,
    }
}

/// The findings of a model that is refused.
#[track_caller]
pub fn refused(language: Language, text: &str) -> String {
    match load(language, "test", text) {
        Ok(_) => panic!("{text:?} is read"),
        Err(findings) => findings,
    }
}
