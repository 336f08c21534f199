//! A counterexample to reachability as an SV-COMP violation witness: `--witness FILE.yml`.
//!
//! The format is version 2.0 of the software-verification witnesses (Ayaziová, Beyer, Lingsch-Rosenfeld,
//! Spiessl, Strejček, "Software Verification Witnesses 2.0", SPIN'24): a sequence of segments, each with
//! one way point that the run passes. What a call without a body returns is a `function_return`; the
//! values of changed global variables are an `assumption` before a statement; the last way point is the
//! `target`, the call that must not be reached.

use super::c_text::CText;
use super::harness::{global_name, hook};
use super::inputs::{ProgramRun, Taken};
use super::sha256::sha256;
use super::{Answered, CheckArgs};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceFile};
use lariat_expr::Value;
use std::fmt::Write as _;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes the witness of the first property that is violated.
pub fn write(args: &CheckArgs, session: &mut Session, answers: &[Answered]) -> Result<(), Failure> {
    let Some(path) = &args.witness else {
        return Ok(());
    };
    let violated = answers.iter().find(|a| a.report.counterexample.is_some());
    let Some(answered) = violated else {
        session
            .out
            .line("no witness is written: nothing is violated")?;
        return Ok(());
    };
    let run = match &answered.program {
        Some(run) if run.n_round.is_none() => Ok(run),
        Some(_) => Err("the property is about infinite runs, and a witness shows a finite one"),
        None => Err("the run could not be followed through the text of the program"),
    };
    let run = match run {
        Ok(run) => run,
        Err(why) => {
            let message = format!("there is no witness for this counterexample: {why}");
            session.report(&[Diagnostic::warning("no-witness", message)]);
            return Ok(());
        }
    };
    let file = session.sources.file(run.source);
    let text = witness(answered, run, file);
    std::fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Failure::from(Diagnostic::error("cannot-write", message))
    })
}

fn witness(answered: &Answered, run: &ProgramRun, file: &SourceFile) -> String {
    let structure = CText::new(&file.text);
    let writer = Writer {
        run,
        file,
        text: &structure,
    };
    let mut out = writer.head(answered);
    let steps = &run.steps[..run.n_stem];
    let mut last_assumption: Option<String> = None;
    for (i, taken) in steps.iter().enumerate() {
        let before = if i == 0 { None } else { Some(&steps[i - 1]) };
        if let Some((place, assumption)) = writer.assumption(before, taken)
            && last_assumption.as_ref() != Some(&assumption)
        {
            let constraint = Some((assumption.as_str(), "c_expression"));
            out.push_str(&writer.waypoint("assumption", constraint, place));
            last_assumption = Some(assumption);
        }
        for (site, value) in &taken.inputs {
            let result = format!("\\result == {}", run.shown(*site, value));
            // The place is the bracket that closes the call.
            let place = run.sites[*site].call.end - 1;
            let constraint = Some((result.as_str(), "acsl_expression"));
            out.push_str(&writer.waypoint("function_return", constraint, place));
        }
    }
    let known = steps.iter().rev().find_map(|taken| taken.text.clone());
    let target = known.map_or(0, |range: Range<usize>| range.start);
    out.push_str(&writer.waypoint("target", None, target));
    out
}

struct Writer<'a> {
    run: &'a ProgramRun,
    file: &'a SourceFile,
    text: &'a CText,
}

impl Writer<'_> {
    fn head(&self, answered: &Answered) -> String {
        let name = quoted(&self.name());
        let digest = sha256(self.file.text.as_bytes());
        let specification = match answered.report.property.name.as_str() {
            "no-error" => "G ! call(reach_error())".to_owned(),
            _ => answered.report.property.text.clone(),
        };
        let mut uuid = sha256(format!("{digest} {specification}").as_bytes());
        uuid.truncate(32);
        // Made from what it is about, in the form of a version 8 identifier.
        uuid.replace_range(12..13, "8");
        uuid.replace_range(16..17, "a");
        for at in [20, 16, 12, 8] {
            uuid.insert(at, '-');
        }
        let mut out = String::from("- entry_type: \"violation_sequence\"\n  metadata:\n");
        let _ = write!(
            out,
            "    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    creation_time: \"{}\"\n    \
             producer:\n      name: \"Lariat\"\n      version: \"{}\"\n    \
             task:\n      input_files:\n        - {name}\n      input_file_hashes:\n        {name}: \"{digest}\"\n      \
             specification: {}\n      data_model: \"LP64\"\n      language: \"C\"\n  content:\n",
            now(),
            env!("CARGO_PKG_VERSION"),
            quoted(&specification),
        );
        out
    }

    fn name(&self) -> String {
        let name = self.file.name.trim_end_matches(" (preprocessed)");
        if name.starts_with(['/', '.']) {
            name.to_owned()
        } else {
            format!("./{name}")
        }
    }

    fn waypoint(&self, kind: &str, constraint: Option<(&str, &str)>, at: usize) -> String {
        let mut out = format!(
            "    - segment:\n        - waypoint:\n            type: \"{kind}\"\n            action: \"follow\"\n"
        );
        if let Some((value, format)) = constraint {
            let _ = write!(
                out,
                "            constraint:\n              value: {}\n              format: \"{format}\"\n",
                quoted(value)
            );
        }
        let (line, column) = self.file.line_column(at as u32);
        let function = self.text.function_at(at).unwrap_or_else(|| "main".into());
        let _ = write!(
            out,
            "            location:\n              file_name: {}\n              line: {line}\n              \
             column: {column}\n              function: {}\n",
            quoted(&self.name()),
            quoted(&function)
        );
        out
    }

    /// The values of the global variables that the step before changed, where a statement starts.
    fn assumption(&self, before: Option<&Taken>, taken: &Taken) -> Option<(usize, String)> {
        let mut place = hook(self.text, self.run, taken)?.start;
        if let Some((open, b'(')) = self.text.before(place)
            && self.text.word_before(open) == b"if"
        {
            place = self.text.before(open).map_or(place, |(end, _)| end - 1);
        }
        let starts = matches!(self.text.before(place), Some((_, b';' | b'{' | b'}')));
        let before = before.filter(|_| starts)?;
        let mut parts = Vec::new();
        for (i, variable) in self.run.system.variables.iter().enumerate() {
            let name = self.run.cx.terms.name(variable.var);
            let global = variable.span.is_some_and(|span| {
                let near = span.range().start;
                global_name(self.text, &self.file.text, name, near).is_some()
            });
            let plain = !name.contains(['#', ':', '.']) && !name.starts_with("lariat_input_");
            let changed = before.before.values[i] != before.after.values[i]
                && taken.before.values[i] == taken.after.values[i];
            if let (true, Value::Int(value)) = (global && plain && changed, &taken.before.values[i])
            {
                parts.push(format!("{name} == {value}"));
            }
        }
        (!parts.is_empty()).then(|| (place, parts.join(" && ")))
    }
}

/// A text as a YAML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The time, as RFC 3339 writes it.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day that is counted from 1 January 1970.
fn date(mut day: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for days in months {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(19_782), (2024, 2, 29));
        assert_eq!(date(20_453), (2025, 12, 31));
    }
}
