//! `cargo xtask scxml`: random statecharts through our lowering and through an interpreter written from the standard.

use crate::series::Series;
use lariat_testkit::compare_chart;
use std::time::Instant;

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 5000)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "scxml has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let (mut agreed, mut cut, mut wrong) = (0, 0, 0_u64);
    for seed in first..first + n {
        match compare_chart(seed) {
            Ok(tally) => {
                agreed += tally.agreed;
                cut += tally.cut;
            }
            Err(why) => {
                wrong += 1;
                println!("{why}");
            }
        }
    }
    println!(
        "{n} charts, {agreed} macrosteps compared, {cut} runs cut off (endless macrosteps, full queues), {wrong} differ; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if wrong > 0 {
        return Err(format!("{wrong} charts differ"));
    }
    Ok(())
}
