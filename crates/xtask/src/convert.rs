//! `cargo xtask convert`: random models of every language, alone and composed, with other observation points and treatments of deadlocks,
//! circuits, statecharts and programs of controllers, and a random question about each. What the naive twin says of the model must be what is said of every file that it is
//! converted to: by the twin again, on all states of what is read from the file, or, if they are too many, by the engines. Files in VMT-LIB and `MoXI` must
//! be written byte for byte as they are when they are read.

use crate::agree::Subject;
use crate::series::Series;
use lariat_base::{Budget, SourceMap};
use lariat_check::{ExplicitConfig, Verdict};
use lariat_expr::TermId;
use lariat_frontend::{GammaReading, Options as Reading, Time, parse_with, print};
use lariat_system::{Context, Language, LocId, State, Stmt, StmtId, System, TransitionSystem as _};
use lariat_testkit::{
    NaiveAiger, NaiveBtor2, NaiveCircuit, RandomChart, RandomSt, Rng, StateSpace, bad_is_reachable,
    justice_is_possible, naive_fair_accepts, random_aiger, random_btor2, random_gamma, rng,
};
use lariat_verify::convert::{Target, Written, convert};
use lariat_verify::pass::deadlock::{Deadlock, go_on_after_deadlock};
use lariat_verify::{Asker, Atom, Claim, Model, Options, Property, Task, translate_all};
use rand::Rng as _;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Models with more states are left out.
const MAX_STATES: usize = 200;
/// So are single ones with fewer.
const MIN_STATES: usize = 3;
/// What is read from a file may have more: inputs are part of its states.
const MAX_READ: usize = 400;
/// The twin evaluates all terms for all values of what a step chooses: what is more work is left to the engines.
const MAX_WORK: u64 = 20_000;
/// So many models are drawn for one that is small enough.
const MAX_DRAWS: usize = 8;
/// The languages of engineers: most of their models are too large.
const ENGINEERS: [Language; 3] = [Language::Scxml, Language::Gamma, Language::St];
const MAX_ENGINEERS_DRAWS: usize = 200;
/// Those whose steps are more work are not tried.
const MAX_ENGINEERS_WORK: u64 = 10 * MAX_WORK;
/// After so many disagreements the rest is left alone.
const MOST_WRONG: usize = 5;
/// What takes longer counts as unknown.
const TIME: Duration = Duration::from_secs(1);

/// What became of the files of one language.
#[derive(Clone, Default)]
struct Tally {
    written: u64,
    refused: u64,
    by_twin: u64,
    by_engines: u64,
    unknown: u64,
    violated: u64,
    /// Why files were refused, and how often.
    reasons: BTreeMap<String, u64>,
}

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 200)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "convert has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let mut tallies = Target::ALL.map(|_| Tally::default());
    let (mut counts, mut wrong) = (BTreeMap::<&str, u64>::new(), Vec::new());
    for seed in first..first + n {
        let compared = catch_unwind(AssertUnwindSafe(|| compare(seed, &mut tallies)));
        let compared = compared.unwrap_or_else(|_| Err("panicked, see above".into()));
        match compared {
            Ok(compared) => *counts.entry(compared).or_default() += 1,
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
        if wrong.len() >= MOST_WRONG {
            break;
        }
    }
    let n_models: u64 = counts.values().sum();
    println!("{n_models} models with a question each: {counts:?}");
    for (target, tally) in Target::ALL.iter().zip(tallies) {
        let Tally {
            written,
            refused,
            by_twin,
            by_engines,
            unknown,
            violated,
            reasons,
        } = tally;
        println!(
            "{:<8} {written} files ({violated} violated): {by_twin} decided by the twin, {by_engines} by engines, \
             {unknown} unknown; {refused} refused",
            target.name()
        );
        for (reason, n) in reasons {
            println!("         {n} times: {reason}");
        }
    }
    if wrong.is_empty() {
        println!("no disagreement; {:.1} s", start.elapsed().as_secs_f64());
        Ok(())
    } else {
        Err(wrong.join("\n\n"))
    }
}

/// Compares the files of a random model; which kind of model it was.
fn compare(seed: u64, tallies: &mut [Tally]) -> Result<&'static str, String> {
    let mut random = rng(seed);
    match seed % 4 {
        0 => circuit(seed, tallies),
        1 => {
            let language = ENGINEERS[(seed / 4 % 3) as usize];
            let draw = |random: &mut Rng| engineered(language, random);
            let done = asked(draw, MAX_ENGINEERS_DRAWS, &mut random, tallies)?;
            Ok(if done { language.name() } else { "too large" })
        }
        _ => {
            let draw = |random: &mut Rng| Ok(Subject::random(random));
            let done = asked(draw, MAX_DRAWS, &mut random, tallies)?;
            Ok(if done { "others" } else { "too large" })
        }
    }
}

/// Asks the first model that is small enough; whether there was one.
fn asked(
    draw: impl Fn(&mut Rng) -> Result<Option<Subject>, String>,
    max_draws: usize,
    random: &mut Rng,
    tallies: &mut [Tally],
) -> Result<bool, String> {
    for _ in 0..max_draws {
        let Some(mut subject) = draw(random)? else {
            continue;
        };
        let Some(space) = StateSpace::explore(&mut subject.cx, &mut subject.model, MAX_STATES)
        else {
            continue;
        };
        let is_cut = |&(part, cut): &(usize, LocId)| {
            let at = |state: &State| subject.model.leaf_location(state.loc, part);
            space.states.iter().any(|state| at(state) == cut)
        };
        // What runs into a cut is refused, and much that does not has nothing to tell.
        let is_dull = subject.model.is_single() && space.states.len() < MIN_STATES;
        if is_dull || subject.model.cuts().iter().any(is_cut) {
            continue;
        }
        let (property, expected) = subject.question(&space, random)?;
        let told = format!("{} in {}", property.text, subject.told);
        let Subject { cx, model, .. } = &mut subject;
        files(cx, model, &[property], &[expected], tallies)
            .map_err(|why| format!("{why}\nof {told}"))?;
        return Ok(true);
    }
    Ok(false)
}

/// A random statechart or program of a controller.
fn engineered(language: Language, random: &mut Rng) -> Result<Option<Subject>, String> {
    let text = match language {
        Language::Scxml => RandomChart::draw(random).text(),
        Language::St => RandomSt::draw(random).text(),
        _ => random_gamma(random.random()),
    };
    let options = Reading {
        gamma: GammaReading {
            time: Time::Fixed(2),
            ..GammaReading::default()
        },
        ..Reading::default()
    };
    let (cx, _, model) = read(language, &text, &options).map_err(|why| format!("{why}\n{text}"))?;
    let is_small = work(&cx, &model.systems[0]) <= MAX_ENGINEERS_WORK;
    Ok(is_small.then(|| Subject::of(cx, model, text, random)))
}

/// Compares the files of a random circuit.
fn circuit(seed: u64, tallies: &mut [Tally]) -> Result<&'static str, String> {
    let mut random = rng(seed);
    let is_aiger = seed.is_multiple_of(8);
    let (language, text) = if is_aiger {
        (Language::Aiger, random_aiger(&mut random))
    } else {
        (Language::Btor2, random_btor2(&mut random))
    };
    let expected = if is_aiger {
        decide(&NaiveAiger::read(&text))
    } else {
        decide(&NaiveBtor2::read(&text))
    };
    let (mut cx, mut sources, mut model) = read(language, &text, &Reading::default())?;
    if model.systems[0].properties.is_empty() {
        return Ok("without a property");
    }
    let properties = Asker::new(&mut cx, &mut sources, &model).own(None);
    let properties = properties.map_err(|findings| format!("{findings:?}"))?;
    let properties = translate_all(properties, &Budget::unlimited());
    let properties = properties.map_err(|error| error.to_string())?;
    files(&mut cx, &mut model, &properties, &expected, tallies)
        .map_err(|why| format!("{why}\nof {text}"))?;
    Ok(language.name())
}

/// Which properties of a circuit are violated, bad states first.
fn decide(circuit: &impl NaiveCircuit) -> Vec<bool> {
    let any = circuit.step(0, 0);
    let bad = (0..any.bad.len()).map(|bad| bad_is_reachable(circuit, bad));
    let justice = (0..any.justice.len()).map(|property| justice_is_possible(circuit, property));
    bad.chain(justice).collect()
}

/// Converts a model to every language and decides what is read back.
fn files(
    cx: &mut Context,
    model: &mut Model,
    properties: &[Property],
    expected: &[bool],
    tallies: &mut [Tally],
) -> Result<(), String> {
    let (mut wrong, mut as_text): (Vec<String>, Option<String>) = (Vec::new(), None);
    for (target, tally) in Target::ALL.iter().zip(tallies) {
        let written = match convert(cx, model, properties, *target) {
            Ok(written) => written,
            Err(why) => {
                tally.refused += 1;
                let why = why.message.split('`').step_by(2).collect::<Vec<_>>();
                *tally.reasons.entry(why.join("…")).or_default() += 1;
                continue;
            }
        };
        tally.written += 1;
        let text: String = if target.is_text() {
            String::from_utf8(written.bytes.clone()).map_err(|error| error.to_string())?
        } else {
            written.bytes.iter().copied().map(char::from).collect()
        };
        // Both forms of AIGER should be one circuit, which is decided once.
        if let Target::Aag | Target::Aig = target {
            let (cx, _, model) = read(Language::Aiger, &text, &Reading::default())?;
            let printed = print(&cx, &model.systems[0]);
            if *target == Target::Aag {
                as_text = Some(printed);
            } else if as_text.as_ref() == Some(&printed) {
                continue;
            }
        }
        let decided = settled(*target, &text, &written)
            .and_then(|()| again(*target, &text, &written, expected, tally));
        if let Err(why) = decided {
            wrong.push(format!("{}: {why}\n{text}", target.name()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// A file in VMT-LIB or `MoXI` is written as it was when it is read and written again, and its properties keep their names.
fn settled(target: Target, text: &str, written: &Written) -> Result<(), String> {
    let (Target::Vmt | Target::Moxi, Some(language)) = (target, target.language()) else {
        return Ok(());
    };
    let (mut cx, mut sources, mut model) = read(language, text, &Reading::default())?;
    let asked = Asker::new(&mut cx, &mut sources, &model).own(None);
    let asked = asked.map_err(|findings| format!("{findings:?}"))?;
    let asked = translate_all(asked, &Budget::unlimited()).map_err(|error| error.to_string())?;
    let again = convert(&mut cx, &mut model, &asked, target);
    let again = again.map_err(|why| format!("is not written again: {}", why.message))?;
    let names = |written: &Written| -> Vec<String> {
        written.properties.iter().map(|p| p.0.clone()).collect()
    };
    if again.bytes != written.bytes {
        let text = String::from_utf8_lossy(&again.bytes).into_owned();
        return Err(format!("is written otherwise:\n{text}\nthan"));
    }
    if names(&again) != names(written) {
        return Err(format!(
            "{:?} are called {:?}",
            names(written),
            names(&again)
        ));
    }
    Ok(())
}

fn again(
    target: Target,
    text: &str,
    written: &Written,
    expected: &[bool],
    tally: &mut Tally,
) -> Result<(), String> {
    let Some(language) = target.language() else {
        return Ok(());
    };
    let (mut cx, mut sources, mut model) = read(language, text, &Reading::default())?;
    for ((name, _), &expected) in written.properties.iter().zip(expected) {
        let name = Some(name.as_str()).filter(|name| !name.is_empty());
        let asked = Asker::new(&mut cx, &mut sources, &model).own(name);
        let asked = asked.map_err(|findings| format!("{name:?}: {findings:?}"))?;
        // The one without a name is the invariant.
        let found = asked
            .into_iter()
            .find(|asked| name.is_some() || !asked.is_temporal());
        let property = found.ok_or_else(|| format!("there is no property {name:?}"))?;
        let property = property.translated(&Budget::unlimited());
        let property = &property.map_err(|error| error.to_string())?;
        let found = match twin(&mut cx, &mut model, property) {
            Some(found) => {
                tally.by_twin += 1;
                Some(found)
            }
            None => engines(&mut cx, &mut model, property, tally),
        };
        if found.is_some_and(|found| found != expected) {
            return Err(format!("{name:?} is violated: {found:?}, not {expected}"));
        }
        tally.violated += u64::from(expected);
    }
    Ok(())
}

/// How many terms are evaluated for all ways to choose values in a step, at most.
fn work(cx: &Context, system: &System) -> u64 {
    /// So many values of an integer are looked at, about.
    const SOME: u64 = 8;
    let work = |stmt: StmtId| {
        let mut ways = 1u64;
        cx.stmts.walk(stmt, |_, stmt| {
            if let Stmt::Havoc(var) | Stmt::Declare(var, None) = stmt {
                let n_values = cx.terms.sorts.cardinality(cx.terms.var_sort(var));
                ways = ways.saturating_mul(n_values.unwrap_or(SOME));
            }
        });
        let n_terms = cx.terms.subterms(&cx.stmts.terms(stmt)).len();
        ways.saturating_mul(n_terms as u64)
    };
    let steps = system.edges.rows().flat_map(|(_, row)| row);
    let all = steps.chain(&system.initial).map(|edge| work(edge.stmt));
    all.fold(0, u64::saturating_add)
}

/// The verdict on all states, if they are few.
fn twin(cx: &mut Context, model: &mut Model, property: &Property) -> Option<bool> {
    if work(cx, &model.systems[0]) > MAX_WORK {
        return None;
    }
    let space = StateSpace::explore(cx, model, MAX_READ)?;
    let terms = |atoms: &[Atom]| -> Option<Vec<TermId>> {
        let term = |atom: &Atom| match atom {
            Atom::Term(term) => Some(*term),
            Atom::At(_) | Atom::NotAt(_) => None,
        };
        atoms.iter().map(term).collect()
    };
    Some(match &property.claim {
        Claim::Never { when, at } => {
            let letters = space.letters(cx, model, &terms(when.as_slice())?);
            space.reaches(model, &letters, at)
        }
        Claim::Temporal {
            automaton, atoms, ..
        } => {
            let letters = space.letters(cx, model, &terms(atoms)?);
            let fairness = space.fairness(cx, model);
            naive_fair_accepts(&space, &letters, automaton, &fairness)
        }
    })
}

fn engines(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    tally: &mut Tally,
) -> Option<bool> {
    let mut options = Options {
        budget: Budget::unlimited().with_time(TIME),
        // The solver could be lost in a query; this one needs none.
        engine: Some(Arc::new(ExplicitConfig::default())),
        ..Options::default()
    };
    let answer = Task { model, property }.check(cx, &mut options);
    match answer.verdict {
        Verdict::Holds => {
            tally.by_engines += 1;
            Some(false)
        }
        Verdict::Violated(_) => {
            tally.by_engines += 1;
            Some(true)
        }
        Verdict::Unknown(_) => {
            tally.unknown += 1;
            None
        }
    }
}

fn read(
    language: Language,
    text: &str,
    options: &Reading,
) -> Result<(Context, SourceMap, Model), String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("converted", text);
    let file = sources.file(source);
    let parsed = parse_with(&mut cx, language, source, file, options);
    let parsed = parsed.map_err(|findings| format!("is refused: {findings:?}"))?;
    let mut model = Model::single(parsed.system);
    let how = Deadlock::usual(&model);
    let stuck = go_on_after_deadlock(&mut cx, &mut model.systems[0], how);
    stuck.map_err(|why| format!("{why:?}"))?;
    debug_assert!(model.n_leaves() == 1, "a file is one model");
    Ok((cx, sources, model))
}
