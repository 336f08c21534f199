//! `lariat automaton`: formulas to Büchi automata, in the formats of other tools.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use lariat_base::{Diagnostic, Span};
use lariat_ltl::{
    Acceptance, Automaton, Brackets, Effort, FormulaId, Formulas, HoaAutomaton, Syntax,
    TranslateConfig, print_formula, to_dot, to_never, to_text, translate,
};

use super::formula::{FormulaOptions, gave_up, on_command_line};
use crate::session::{Failure, Session};

/// Options of `lariat automaton`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct AutomatonArgs {
    /// The formulas
    #[arg(required_unless_present = "file", value_name = "FORMULA")]
    formulas: Vec<String>,
    /// Read formulas from this file, one per line; empty lines and lines that begin with `#` are
    /// skipped, `-` is standard input
    #[arg(short = 'F', long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The acceptance condition [default: tgba, or ba for never claims]
    #[arg(long, value_enum, value_name = "KIND")]
    acceptance: Option<AcceptanceArg>,
    /// Translate the negation of each formula
    #[arg(long)]
    negate: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Hoa)]
    format: Format,
    /// Print a table of sizes instead of the automata
    #[arg(long, conflicts_with = "format")]
    stats: bool,
    /// Translate fast and accept larger automata
    #[arg(long, conflicts_with = "deterministic")]
    low: bool,
    /// Prefer deterministic automata to small ones
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    options: FormulaOptions,
}

const AFTER: &str = "\
Examples:
  lariat automaton 'G(request -> F grant)'                the automaton in HOA
  lariat automaton 'GFa & GFb' --acceptance ba --format dot | dot -Tsvg > ab.svg
  lariat automaton '[](p -> <>q)' --negate --format never    a never claim for Spin
  lariat automaton -F formulas.ltl --stats                sizes of many

Exit codes: 0 all went well, 2 the input or the options were wrong, 3 a limit was reached.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum AcceptanceArg {
    /// Generalized Büchi on edges
    Tgba,
    /// Büchi on edges
    Tba,
    /// Büchi on states
    Ba,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// The Hanoi omega-automata format
    Hoa,
    /// A picture for Graphviz
    Dot,
    /// A never claim for Spin
    Never,
    /// Lines for people
    Text,
}

/// Runs the command.
pub fn run(args: &AutomatonArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let config = config(args)?;
    let mut code = ExitCode::SUCCESS;
    let mut total = (0, 0);
    if args.stats {
        session
            .out
            .line("states\tedges\tsets\tdeterministic\tms\tformula")?;
    }
    let places = places(args, session)?;
    let many = places.len() > 1;
    for place in places {
        let mut formulas = Formulas::new();
        let read = match args.options.read(session, &mut formulas, place) {
            Ok(read) => read,
            // One bad formula does not hide the others.
            Err(Failure::Findings(findings)) if many => {
                session.report(&findings);
                code = ExitCode::from(2);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let formula = if args.negate {
            formulas.not(read)
        } else {
            read
        };
        let start = Instant::now();
        match translate(&mut formulas, formula, &config, &args.options.budget()) {
            Ok(automaton) if args.stats => {
                total.0 += automaton.n_states();
                total.1 += automaton.n_edges();
                let line = statistics(&automaton, start.elapsed(), &title(&formulas, formula)?);
                session.out.line(&line)?;
            }
            Ok(automaton) => {
                let title = title(&formulas, formula)?;
                session
                    .out
                    .text(&show(args.format, &automaton, &formulas, &title))?;
            }
            Err(error) => code = gave_up(session, place, error),
        }
    }
    if args.stats {
        session
            .out
            .line(&format!("{}\t{}\t\t\t\ttotal", total.0, total.1))?;
    }
    Ok(code)
}

fn config(args: &AutomatonArgs) -> Result<TranslateConfig, Failure> {
    let never = args.format == Format::Never;
    let acceptance = match (args.acceptance, never) {
        (Some(AcceptanceArg::Tgba | AcceptanceArg::Tba), true) => {
            let message = "a never claim has accepting states, not edges";
            let error = Diagnostic::error("bad-option", message).hint("use `--acceptance ba`");
            return Err(error.into());
        }
        (Some(AcceptanceArg::Ba), _) | (None, true) => Acceptance::StateBuchi,
        (Some(AcceptanceArg::Tba), false) => Acceptance::Buchi,
        (Some(AcceptanceArg::Tgba) | None, false) => Acceptance::Generalized,
    };
    let effort = match (args.low, args.deterministic) {
        (true, _) => Effort::Low,
        (_, true) => Effort::Deterministic,
        _ => Effort::High,
    };
    Ok(TranslateConfig::new(acceptance, effort))
}

/// Where the formulas are.
fn places(args: &AutomatonArgs, session: &mut Session) -> Result<Vec<Span>, Failure> {
    let mut places: Vec<Span> = Vec::new();
    for text in &args.formulas {
        places.push(on_command_line(session, "<formula>", text));
    }
    let Some(path) = &args.file else {
        return Ok(places);
    };
    let shown = path.display().to_string();
    let text = if path.as_os_str() == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| {
        Diagnostic::error("cannot-read", format!("cannot read {shown}: {error}"))
    })?;
    if u32::try_from(text.len()).is_err() {
        let message = format!("{shown} is longer than 4 GiB");
        return Err(Diagnostic::error("too-large", message).into());
    }
    let mut lines: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let formula = line.trim();
        if !formula.is_empty() && !formula.starts_with('#') {
            let from = start + (line.len() - line.trim_start().len());
            lines.push((from, from + formula.len()));
        }
        start += line.len();
    }
    let source = session.sources.add(shown, text);
    places.extend(
        lines
            .into_iter()
            .map(|(from, to)| Span::new(source, from, to)),
    );
    Ok(places)
}

/// The formula as the automaton's name.
fn title(formulas: &Formulas, formula: FormulaId) -> Result<String, Failure> {
    print_formula(formulas, formula, Syntax::Spot, Brackets::All)
        .map_err(|error| Diagnostic::error("too-large", error.to_string()).into())
}

fn statistics(automaton: &Automaton, time: Duration, title: &str) -> String {
    let mut line = String::new();
    let _ = write!(
        line,
        "{}\t{}\t{}\t{}\t{:.3}\t{title}",
        automaton.n_states(),
        automaton.n_edges(),
        automaton.n_sets(),
        if automaton.is_deterministic() {
            "yes"
        } else {
            "no"
        },
        time.as_secs_f64() * 1e3,
    );
    line
}

fn show(format: Format, automaton: &Automaton, formulas: &Formulas, title: &str) -> String {
    match format {
        Format::Hoa => {
            let data = HoaAutomaton::from_buchi(automaton, formulas, Some(title.to_owned()));
            data.to_string()
        }
        Format::Dot => to_dot(automaton, formulas, title),
        Format::Text => to_text(automaton, formulas, title),
        Format::Never => to_never(automaton, formulas, title)
            .expect("never claims are asked for with state-based acceptance"),
    }
}
