//! `cargo xtask timed`: random timed automata, decided as a user's models would be and by zones alone, against the finite models of their regions.

use crate::series::Series;
use crate::smv::read;
use lariat_base::{Budget, SourceMap};
use lariat_check::{CegarConfig, DomainConfig, Engine, ExplicitConfig, Verdict};
use lariat_system::Context;
use lariat_testkit::{random_timed, rng};
use lariat_verify::{Asker, Model, Options, Task, translate_all};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// For one property.
const TIME: Duration = Duration::from_secs(3);

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 200)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "timed has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let (mut holds, mut violated, mut wrong) = (0, 0, 0);
    let mut unknown = [0, 0];
    for seed in first..first + n {
        let model = random_timed(&mut rng(seed));
        let (timed, twin) = (model.timed(), model.twin());
        let expected = decide(&twin, Some(Arc::new(ExplicitConfig::default())))?;
        let zones = CegarConfig {
            domain: DomainConfig::Zones,
            ..CegarConfig::default()
        };
        let engines: [Option<Arc<dyn Engine>>; 2] = [Some(Arc::new(zones)), None];
        for (engine, unknown) in engines.into_iter().zip(&mut unknown) {
            for (ours, twins) in decide(&timed, engine)?.into_iter().zip(&expected) {
                match (&ours, twins) {
                    (Verdict::Holds, Verdict::Holds) => holds += 1,
                    (Verdict::Violated(_), Verdict::Violated(_)) => violated += 1,
                    (Verdict::Unknown(_), _) => *unknown += 1,
                    _ => {
                        println!(
                            "seed {seed}: WRONG, {ours:?}; its regions: {twins:?}\n{timed}\n{twin}"
                        );
                        wrong += 1;
                    }
                }
            }
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} answers of {n} models are wrong"));
    }
    let [by_zones, by_all] = unknown;
    println!(
        "{n} models: {holds} answers are that a property holds, {violated} that it is violated, {by_zones} of zones and {by_all} of all \
         engines unknown; no disagreement; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The verdicts of a model's properties, in their order.
fn decide(text: &str, engine: Option<Arc<dyn Engine>>) -> Result<Vec<Verdict>, String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let read = read(&mut cx, &mut sources, text).map_err(|why| format!("{why}\n{text}"))?;
    let mut model = Model::single(read);
    let mut asker = Asker::new(&mut cx, &mut sources, &model);
    let asked = asker.own(None);
    let asked = asked.map_err(|findings| format!("{findings:?}\n{text}"))?;
    let properties = translate_all(asked, &Budget::unlimited());
    let mut verdicts = Vec::new();
    for property in &properties.map_err(|error| error.to_string())? {
        let mut options = Options {
            engine: engine.clone(),
            budget: Budget::unlimited().with_time(TIME),
            ..Options::default()
        };
        let mut task = Task {
            model: &mut model,
            property,
        };
        verdicts.push(task.check(&mut cx, &mut options).verdict);
    }
    Ok(verdicts)
}
