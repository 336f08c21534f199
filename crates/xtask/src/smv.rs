//! `cargo xtask smv`: random SMV models, decided as a user's would be, against an interpreter that shares nothing with the front end.

use crate::series::Series;
use lariat_base::{Budget, Severity, SourceMap};
use lariat_check::{Engine, SatConfig, Unknown, Verdict};
use lariat_frontend::parse;
use lariat_system::{Context, Language, System};
use lariat_testkit::{SmvModel, decide_smv, print_smv, random_smv, rng};
use lariat_verify::{Asker, Model, Options, Task, translate_all, unmet_obligations};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Small models need far less.
const TIME: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Tally {
    models: u64,
    illegal: u64,
    holds: u64,
    violated: u64,
    unknown: u64,
    skipped: u64,
    /// What the engine for circuits decided besides.
    circuits: u64,
}

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 200)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "smv has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut wrong = 0;
    for seed in first..first + n {
        let model = random_smv(&mut rng(seed));
        let text = print_smv(&model);
        if let Err(why) = compare(&model, &text, &mut tally) {
            println!("seed {seed}: {why}\n{text}");
            wrong += 1;
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} of {n} models disagree"));
    }
    let Tally {
        models,
        illegal,
        holds,
        violated,
        unknown,
        skipped,
        circuits,
    } = tally;
    println!(
        "{models} models, {illegal} of them illegal: {holds} properties hold, {violated} are violated, {unknown} unknown, {skipped} \
         not decided by the interpreter; {circuits} decided as circuits, too; no disagreement; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Compares the verdicts of a model with the interpreter's.
fn compare(model: &SmvModel, text: &str, tally: &mut Tally) -> Result<(), String> {
    tally.models += 1;
    let expected = decide_smv(model);
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let read = read(&mut cx, &mut sources, text);
    let Some(expected) = expected else {
        tally.illegal += 1;
        return match read {
            Ok(_) => Err("is accepted, but some values lead out of a type".into()),
            Err(_) => Ok(()),
        };
    };
    let mut model = Model::single(read?);
    let mut asker = Asker::new(&mut cx, &mut sources, &model);
    let asked = asker
        .own(None)
        .map_err(|findings| format!("{findings:?}"))?;
    let properties = translate_all(asked, &Budget::unlimited());
    let properties = properties.map_err(|error| error.to_string())?;
    let names = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let ours = names(properties.iter().map(|it| it.name.clone()).collect());
    let theirs = names(expected.iter().map(|it| it.name.clone()).collect());
    if ours != theirs {
        return Err(format!("has the properties {ours:?}, not {theirs:?}"));
    }
    for property in &properties {
        let known = expected.iter().find(|it| *it.name == *property.name);
        let Some(is_violated) = known.and_then(|it| it.is_violated) else {
            tally.skipped += 1;
            continue;
        };
        let circuits = SatConfig::ALL;
        let circuits = circuits.map(|config| Some(Arc::new(config) as Arc<dyn Engine>));
        for engine in [None].into_iter().chain(circuits) {
            let is_circuit = engine.is_some();
            let mut options = Options {
                engine,
                budget: Budget::unlimited().with_time(TIME),
                ..Options::default()
            };
            let mut task = Task {
                model: &mut model,
                property,
            };
            match (task.check(&mut cx, &mut options).verdict, is_violated) {
                // Numbers are no bits.
                (Verdict::Unknown(Unknown::Unsupported(_)), _) if is_circuit => {}
                (Verdict::Holds, false) | (Verdict::Violated(_), true) if is_circuit => {
                    tally.circuits += 1;
                }
                (Verdict::Holds, false) => tally.holds += 1,
                (Verdict::Violated(_), true) => tally.violated += 1,
                (Verdict::Unknown(why), _) => {
                    println!("unknown: {why}\n{text}");
                    tally.unknown += 1;
                }
                (verdict, _) => return Err(format!("{} is WRONG: {verdict:?}", property.name)),
            }
        }
    }
    Ok(())
}

pub(crate) fn read(
    cx: &mut Context,
    sources: &mut SourceMap,
    text: &str,
) -> Result<System, String> {
    let source = sources.add("model.smv", text);
    let parsed = parse(cx, Language::Smv, source, sources.file(source));
    let parsed = parsed.map_err(|findings| format!("is refused: {findings:?}"))?;
    let unmet = unmet_obligations(cx, parsed.obligations);
    match unmet.iter().find(|it| it.severity == Severity::Error) {
        Some(finding) => Err(format!("is refused: {finding:?}")),
        None => Ok(parsed.system),
    }
}
