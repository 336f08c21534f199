//! What a page shows of a report. It is the report itself but for runs, which are told by variables: a run of ten thousand
//! steps over five hundred variables is small if only changes are told, and texts that come again are told once.

use lariat_base::{FxHashMap, SourceMap};
use lariat_verify::report::{
    AutomatonReport, Column, GrowthReport, Inputs, MeasureReport, NoteReport, PartReport, Report,
    RunReport, StepReport, UnknownReport, VariableReport, WhyReport,
};
use serde::{Deserialize, Serialize};

/// Longer texts are not shown beside a run.
const LONGEST_SOURCE: usize = 4 << 20;

/// The text of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Source {
    /// As it is called in reports.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The texts that steps may point into.
pub fn sources(sources: &SourceMap) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for file in sources.files() {
        // Formulas have names such as `<ltl>`.
        let is_formula = file.name.starts_with('<') && file.name.ends_with('>');
        let is_model = file.pieces.is_empty() && !is_formula;
        let is_known = found.iter().any(|known| known.name == file.name);
        if is_model && !is_known && file.text.len() <= LONGEST_SOURCE {
            found.push(Source {
                name: file.name.clone(),
                text: file.text.clone(),
            });
        }
    }
    found
}

/// A report for the page, as JSON.
pub fn result(report: &Report) -> String {
    let data = Result {
        property: &report.property,
        changes: &report.changes,
        verdict: report.verdict,
        reason: report.reason.as_deref(),
        notes: &report.notes,
        unknown: report.unknown.as_ref(),
        time_s: report.time_s,
        settings: &report.settings,
        shape: report.shape.as_deref(),
        attempts: &report.attempts,
        statistics: &report.statistics,
        measures: MeasureReport::sentences(&report.measures),
        proof: report.proof.as_ref(),
        run: report.counterexample.as_ref().map(Run::new),
        inputs: report.inputs.as_ref(),
    };
    serde_json::to_string(&data).expect("a report can be written")
}

/// A report. The names are those of the JSON report.
#[derive(Serialize)]
struct Result<'r> {
    property: &'r lariat_verify::report::PropertyReport,
    #[serde(flatten)]
    changes: &'r lariat_verify::report::Changes,
    verdict: &'r str,
    reason: Option<&'r str>,
    notes: &'r [NoteReport],
    unknown: Option<&'r UnknownReport>,
    time_s: f64,
    settings: &'r std::collections::BTreeMap<&'static str, lariat_verify::report::Setting>,
    shape: Option<&'r str>,
    attempts: &'r [lariat_verify::report::AttemptReport],
    statistics: &'r lariat_verify::report::StatisticsReport,
    /// In sentences.
    measures: Vec<String>,
    proof: Option<&'r lariat_verify::report::ProofReport>,
    run: Option<Run<'r>>,
    inputs: Option<&'r Inputs>,
}

/// A run, by its variables.
#[derive(Serialize)]
struct Run<'r> {
    kind: &'r str,
    atoms: &'r [String],
    loop_starts_after_step: Option<usize>,
    comes_back: bool,
    has_locations: bool,
    drifting: &'r [String],
    growth: Option<&'r GrowthReport>,
    /// How the rounds differ, in sentences.
    growth_words: Vec<String>,
    region: &'r [String],
    automaton: Option<&'r AutomatonReport>,
    parts: &'r [PartReport],
    why: Option<&'r WhyReport>,
    /// All texts that values have.
    texts: Vec<String>,
    variables: Vec<Variable<'r>>,
    steps: Vec<Step<'r>>,
}

/// A variable and its values.
#[derive(Serialize)]
struct Variable<'r> {
    #[serde(flatten)]
    own: &'r VariableReport,
    /// The steps, from 1, after which it has another value than before; nothing: all of them are told.
    at: Option<Vec<usize>>,
    /// Its values there, as places among the texts.
    is: Vec<usize>,
}

/// A step without its state.
#[derive(Serialize)]
struct Step<'r> {
    action: &'r str,
    source: Option<&'r str>,
    lines: &'r [u32],
    location: &'r str,
    observed: bool,
    atoms: Option<&'r [bool]>,
    automaton_state: Option<usize>,
    tested: Option<bool>,
    case: Option<&'r str>,
}

impl<'r> Run<'r> {
    fn new(run: &'r RunReport) -> Self {
        let mut texts = Texts::default();
        let columns = run.variables.iter().zip(run.columns());
        let columns = columns.map(|(own, column)| texts.column(own, &column, run.steps.len()));
        let variables = columns.collect();
        Self {
            kind: run.kind,
            atoms: &run.atoms,
            loop_starts_after_step: run.loop_starts_after_step,
            comes_back: run.comes_back(),
            has_locations: run.has_locations,
            drifting: &run.drifting,
            growth: run.growth.as_ref(),
            growth_words: run
                .growth
                .as_ref()
                .map_or_else(Vec::new, GrowthReport::sentences),
            region: &run.region,
            automaton: run.automaton.as_ref(),
            parts: &run.parts,
            why: run.why.as_ref(),
            texts: texts.all,
            variables,
            steps: run.steps.iter().map(Step::new).collect(),
        }
    }
}

impl<'r> Step<'r> {
    fn new(step: &'r StepReport) -> Self {
        Self {
            action: &step.action,
            source: step.source.as_deref(),
            lines: &step.lines,
            location: &step.location,
            observed: step.observed,
            atoms: step.atoms.as_deref(),
            automaton_state: step.automaton_state,
            tested: step.tested,
            case: step.case.as_deref(),
        }
    }
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    places: FxHashMap<String, usize>,
}

impl Texts {
    fn place(&mut self, text: String) -> usize {
        let next = self.all.len();
        *self.places.entry(text).or_insert_with_key(|text| {
            self.all.push(text.clone());
            next
        })
    }

    /// A variable that often changes tells all of its values: that is shorter than to say when they change.
    fn column<'r>(
        &mut self,
        own: &'r VariableReport,
        column: &Column,
        n_steps: usize,
    ) -> Variable<'r> {
        let mut at: Vec<usize> = column.iter().map(|(step, _)| *step).collect();
        let changes: Vec<usize> = (column.iter())
            .map(|(_, value)| self.place(value.to_string()))
            .collect();
        if at.len() <= n_steps / 2 || at.first() != Some(&1) {
            let (at, is) = (Some(at), changes);
            return Variable { own, at, is };
        }
        at.push(n_steps + 1);
        let rounds = at.windows(2).zip(&changes);
        let is = rounds.flat_map(|(ends, &text)| std::iter::repeat_n(text, ends[1] - ends[0]));
        Variable {
            own,
            at: None,
            is: is.collect(),
        }
    }
}
