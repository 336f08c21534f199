//! A run of a statechart as pictures: the chart after each step, with what is active and what has fired.

use super::{said, way_back};
use crate::drawing::svg;
use lariat_verify::report::RunReport;

/// More pictures than these nobody looks at: those in the middle are left out.
const N_STEPS: usize = 30;

/// The pictures of a run, one below another, if the model is a statechart. A step in which nothing happens has no picture of its own.
pub fn write(run: &RunReport) -> Option<String> {
    let chart = run.chart.as_deref()?;
    let n = run.steps.len();
    let mut steps: Vec<(String, Vec<usize>, Vec<usize>)> = Vec::new();
    let moves = (1..).zip(&run.steps);
    for (number, step) in moves.filter(|(_, step)| step.chart.is_some()) {
        let Some(did) = &step.chart else { continue };
        if number > N_STEPS / 2 && number + N_STEPS / 2 <= n {
            continue;
        }
        let mut caption = format!("{number}. {}", said(step));
        if number == n
            && let Some(words) = way_back(run)
        {
            caption = format!("{caption}; {words}");
        }
        let is_quiet = did.came.is_empty() && did.sent.is_empty() && did.fired.is_empty();
        match steps.last_mut() {
            Some((before, active, _)) if is_quiet && *active == did.active => {
                *before = format!("{before}; {caption}");
            }
            _ => steps.push((caption, did.active.clone(), did.fired.clone())),
        }
    }
    Some(svg::film(chart, &steps))
}
