//! A run of a statechart as pictures: the chart after each step, with what is active and what has fired.

use super::{said, way_back};
use crate::drawing::svg;
use lariat_verify::report::RunReport;

/// More pictures than these nobody looks at: those in the middle are left out.
const N_STEPS: usize = 30;

/// The pictures of a run, one below another, if the model is a statechart.
pub fn write(run: &RunReport) -> Option<String> {
    let chart = run.chart.as_deref()?;
    let n = run.steps.len();
    let mut steps = Vec::new();
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
        steps.push((caption, did.active.clone(), did.fired.clone()));
    }
    Some(svg::film(chart, &steps))
}
