//! `cargo xtask circuits`: random AIGER and BTOR2 files, decided as a user's would be, against simulators that share nothing with
//! the front ends: verdicts, witnesses, and what the printers write.

use crate::series::Series;
use lariat_base::{Budget, SourceMap};
use lariat_check::{Engine, SatConfig, Unknown, Verdict};
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language, System};
use lariat_testkit::{
    NaiveAiger, NaiveBtor2, NaiveCircuit, bad_is_reachable, check_aiger_witness,
    check_btor2_witness, justice_is_possible, random_aiger, random_btor2, rng,
};
use lariat_verify::export::witness;
use lariat_verify::report::Report;
use lariat_verify::{Asker, Model, Options, Task};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Small circuits need far less.
const TIME: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Tally {
    files: u64,
    holds: u64,
    violated: u64,
    unknown: u64,
}

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 200)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "circuits has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let mut tally = Tally::default();
    for seed in first..first + n {
        let language = [Language::Aiger, Language::Btor2][(seed % 2) as usize];
        let mut random = rng(seed);
        let text = match language {
            Language::Aiger => random_aiger(&mut random),
            _ => random_btor2(&mut random),
        };
        let told = compare(language, &text, &mut tally);
        told.map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    }
    let Tally {
        files,
        holds,
        violated,
        unknown,
    } = tally;
    println!(
        "{files} circuits, each property asked four times: {holds} hold, {violated} are violated, {unknown} unknown; all witnesses are right; no disagreement; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Compares the verdicts of a file, and of the file that is printed of it, with the simulator's.
fn compare(language: Language, text: &str, tally: &mut Tally) -> Result<(), String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let system = read(&mut cx, &mut sources, language, text)?;
    let printed = print(&cx, &system);
    let again = read(&mut cx, &mut sources, language, &printed)?;
    if !system.same(&again, &cx) {
        return Err(format!("differs after a round trip:\n{printed}"));
    }
    tally.files += 1;
    let expected = violated(language, text);
    if violated(language, &printed) != expected {
        return Err(format!(
            "means something else when it is printed:\n{printed}"
        ));
    }
    let mut model = Model::single(system);
    let n_properties = model.systems[0].properties.len();
    let mut asker = Asker::new(&mut cx, &mut sources, &model);
    let properties = match n_properties {
        0 => Vec::new(),
        _ => asker
            .own(None)
            .map_err(|findings| format!("{findings:?}"))?,
    };
    if properties.len() != expected.len() {
        return Err(format!(
            "{} properties, not {}",
            properties.len(),
            expected.len()
        ));
    }
    let mut asked = Vec::new();
    for (property, expected) in properties.into_iter().zip(expected) {
        let property = property.translated(&Budget::unlimited());
        let property = property.map_err(|error| error.to_string())?;
        // By the portfolio, and by the engines that are made for circuits.
        asked.push((property.clone(), expected, None));
        for config in SatConfig::ALL {
            let engine: Arc<dyn Engine> = Arc::new(config);
            asked.push((property.clone(), expected, Some(engine)));
        }
    }
    for (property, expected, engine) in asked {
        let (property, is_circuit) = (&property, engine.is_some());
        let mut options = Options {
            engine,
            budget: Budget::unlimited().with_time(TIME),
            ..Options::default()
        };
        let mut task = Task {
            model: &mut model,
            property,
        };
        let answer = task.check(&mut cx, &mut options);
        match (&answer.verdict, expected) {
            (Verdict::Holds, false) => tally.holds += 1,
            (Verdict::Violated(_), true) => {
                tally.violated += 1;
                let report = Report::new(&cx, &sources, &mut model, property, &answer);
                let witness = witness(&mut cx, &sources, &mut model, &report, &answer)?;
                let checked = match language {
                    Language::Aiger => check_aiger_witness(&NaiveAiger::read(text), &witness),
                    _ => check_btor2_witness(&NaiveBtor2::read(text), &witness),
                };
                checked.map_err(|why| format!("a wrong witness: {why}\n{witness}"))?;
            }
            // Arrays are no bits.
            (Verdict::Unknown(Unknown::Unsupported(_)), _) if is_circuit => {}
            (Verdict::Unknown(_), _) => tally.unknown += 1,
            (verdict, _) => return Err(format!("{} is WRONG: {verdict:?}", property.name)),
        }
    }
    Ok(())
}

fn read(
    cx: &mut Context,
    sources: &mut SourceMap,
    language: Language,
    text: &str,
) -> Result<System, String> {
    let source = sources.add("circuit", text);
    let parsed = parse(cx, language, source, sources.file(source));
    let parsed = parsed.map_err(|findings| format!("is refused: {findings:?}\n{text}"))?;
    Ok(parsed.system)
}

/// Which properties the simulator finds violated, bad states first.
fn violated(language: Language, text: &str) -> Vec<bool> {
    match language {
        Language::Aiger => decide(&NaiveAiger::read(text)),
        _ => decide(&NaiveBtor2::read(text)),
    }
}

fn decide(circuit: &impl NaiveCircuit) -> Vec<bool> {
    let any = circuit.step(0, 0);
    let bad = (0..any.bad.len()).map(|bad| bad_is_reachable(circuit, bad));
    let justice = (0..any.justice.len()).map(|property| justice_is_possible(circuit, property));
    bad.chain(justice).collect()
}
