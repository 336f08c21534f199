//! A counterexample to reachability as an SV-COMP violation witness.
//!
//! The format is version 2.0 of the software-verification witnesses (Ayaziová, Beyer, Lingsch-Rosenfeld,
//! Spiessl, Strejček, "Software Verification Witnesses 2.0", SPIN'24): a sequence of segments, each with
//! one way point that the run passes. What a call without a body returns is a `function_return`; the
//! values of changed global variables are an `assumption` before a statement; the last way point is the
//! `target`, the call that must not be reached.

use super::sha256::sha256;
use crate::calls::calls;
use crate::model::Model;
use crate::report::{PropertyReport, Report};
use crate::task::Answer;
use lariat_base::{SourceFile, SourceMap, Span};
use lariat_check::{Counterexample, Verdict};
use lariat_expr::Value;
use lariat_system::{
    CLinkage, CProgram, CRole, Context, Deed, Run, State, Step, System, TransitionSystem as _,
    deeds,
};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// The witness of the counterexample of an answer, or why there is none.
pub fn witness(
    cx: &mut Context,
    sources: &SourceMap,
    model: &mut Model,
    report: &Report,
    answer: &Answer,
) -> Result<String, &'static str> {
    let system = &model.systems[0];
    if system.language.is_circuit() {
        return super::circuit::witness(cx, sources, model, report, answer);
    }
    let (Verdict::Violated(found), Some(program), Some(&source)) =
        (&answer.verdict, &system.program, model.files.first())
    else {
        return Err("there is no run, or no text of the program");
    };
    let Counterexample::Path(run) = found else {
        return Err("the property is about infinite runs, and a witness shows a finite one");
    };
    let writer = Writer {
        cx,
        system,
        program,
        file: sources.file(source),
    };
    let made = calls(cx, system, found);
    let mut out = writer.head(&report.property);
    let mut target = 0;
    let mut last_assumption = String::new();
    for (i, calls) in made.iter().enumerate().skip(1) {
        let span = writer.span(&run.steps[i - 1].state, &run.steps[i]);
        if let Some((place, assumption)) = writer.assumption(run, i, span)
            && last_assumption != assumption
        {
            let constraint = Some((assumption.as_str(), "c_expression"));
            out.push_str(&writer.waypoint("assumption", constraint, place));
            last_assumption = assumption;
        }
        let open = |role: CRole| !matches!(role, CRole::Body | CRole::Volatile);
        for call in calls {
            let function = &program.functions[call.function];
            if let Some(result) = call.result.as_ref().filter(|_| open(function.role)) {
                let result = format!("\\result == {}", result.value);
                // The place is the bracket that closes the call.
                let constraint = Some((result.as_str(), "acsl_expression"));
                out.push_str(&writer.waypoint("function_return", constraint, call.span.end - 1));
            }
        }
        target = span.map_or(target, |span| span.start);
    }
    out.push_str(&writer.waypoint("target", None, target));
    Ok(out)
}

struct Writer<'a> {
    cx: &'a Context,
    system: &'a System,
    program: &'a CProgram,
    file: &'a SourceFile,
}

impl Writer<'_> {
    fn head(&self, question: &PropertyReport) -> String {
        let name = quoted(&self.name());
        let digest = sha256(self.file.text.as_bytes());
        let specification = match question.name.as_str() {
            "no-error" => "G ! call(reach_error())".to_owned(),
            _ => question.text.clone(),
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
        let name = &self.file.name;
        if name.starts_with(['/', '.']) {
            name.to_owned()
        } else {
            format!("./{name}")
        }
    }

    fn waypoint(&self, kind: &str, constraint: Option<(&str, &str)>, at: u32) -> String {
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
        let (line, column) = self.file.line_column(at);
        let function = self.program.function_at(at);
        let function = function.map_or("main", |function| &function.name);
        let _ = write!(
            out,
            "            location:\n              file_name: {}\n              line: {line}\n              \
             column: {column}\n              function: {}\n",
            quoted(&self.name()),
            quoted(function)
        );
        out
    }

    /// Where what a step did first stands in the source.
    fn span(&self, before: &State, step: &Step) -> Option<Span> {
        let edge = self.system.edges.row(before.loc.location())[step.edge];
        let variables = self.system.variables();
        let deeds = deeds(self.cx, variables, Some(before), edge.stmt, &step.decisions);
        let mut spans = deeds
            .into_iter()
            .map(|Deed { stmt, .. }| self.cx.stmts.span(stmt));
        self.cx
            .stmts
            .span(edge.stmt)
            .or(spans.find_map(|span| span))
    }

    /// The values of the global variables that the step before changed, where a statement starts.
    fn assumption(&self, run: &Run, i: usize, span: Option<Span>) -> Option<(u32, String)> {
        let &place = self.program.statements.get(&span?)?;
        let earlier = &run.steps[i.checked_sub(2)?].state;
        let [before, after] = [i - 1, i].map(|i| &run.steps[i].state);
        let mut parts = Vec::new();
        for object in &self.program.objects {
            let leaf = match &object.leaves[..] {
                [leaf] if object.linkage == CLinkage::Global => leaf,
                _ => continue,
            };
            let mut variables = self.system.variables().iter();
            let Some(at) = variables.position(|variable| variable.var == leaf.var) else {
                continue;
            };
            let changed = earlier.values[at] != before.values[at];
            if let (true, Value::Int(value)) = (changed, &before.values[at])
                && before.values[at] == after.values[at]
                && self.cx.terms.name(leaf.var) == &*object.name
            {
                parts.push(format!("{} == {value}", object.name));
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
