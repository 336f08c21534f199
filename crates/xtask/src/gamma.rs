//! `cargo xtask gamma`: random Gamma models through our lowering and through an interpreter of their rules.

use crate::series::Series;
use lariat_testkit::compare_gamma;
use std::time::Instant;

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 5000)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "gamma has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let (mut agreed, mut outcomes, mut stuck, mut wrong) = (0, 0, 0, 0_u64);
    for seed in first..first + n {
        match compare_gamma(seed) {
            Ok(tally) => {
                agreed += tally.agreed;
                outcomes += tally.outcomes;
                stuck += tally.stuck;
            }
            Err(why) => {
                wrong += 1;
                println!("{why}");
            }
        }
    }
    println!(
        "{n} models, {agreed} cycles with {outcomes} outcomes compared, {stuck} runs stuck on both sides, {wrong} differ; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if wrong > 0 {
        return Err(format!("{wrong} models differ"));
    }
    Ok(())
}
