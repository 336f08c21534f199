//! A table, a row for each step (RFC 4180): its number, the round of the loop, what was done and where, the place in the
//! model, whether it is observed, the variables and the atoms.

use super::said;
use crate::csv::field;
use lariat_verify::report::RunReport;

/// The table of a run.
pub fn write(run: &RunReport) -> String {
    let heads = ["step", "part", "action", "source", "location", "observed"];
    let mut row: Vec<String> = heads.iter().map(|&head| field(head)).collect();
    row.extend(run.variables.iter().map(|variable| field(&variable.name)));
    row.extend(run.atoms.iter().map(|atom| field(atom)));
    let mut text = row.join(",") + "\r\n";
    let columns = run.columns();
    let mut next = vec![0; columns.len()];
    for (number, step) in (1..).zip(&run.steps) {
        let part = match run.loop_starts_after_step {
            Some(start) if number > start => "loop",
            _ => "stem",
        };
        row.clear();
        row.extend([number.to_string(), part.into(), field(&said(step))]);
        row.push(field(step.source.as_deref().unwrap_or_default()));
        row.extend([field(&step.location), step.observed.to_string()]);
        for (column, next) in columns.iter().zip(&mut next) {
            while column.get(*next).is_some_and(|&(at, _)| at <= number) {
                *next += 1;
            }
            let value = next.checked_sub(1).map(|now| column[now].1.to_string());
            row.push(field(&value.unwrap_or_default()));
        }
        let truth = |i: usize| step.atoms.as_ref().map(|atoms| atoms[i].to_string());
        row.extend((0..run.atoms.len()).map(|i| truth(i).unwrap_or_default()));
        text.push_str(&row.join(","));
        text.push_str("\r\n");
    }
    text
}
