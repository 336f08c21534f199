//! `cargo xtask st`: random programs in Structured Text through our lowering and through an interpreter of the standard.

use crate::series::Series;
use lariat_testkit::compare_st;
use std::time::Instant;

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 5000)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "st has no option {other}; it has --n N and --seed S"
        ));
    }
    let start = Instant::now();
    let (mut agreed, mut faults, mut endless, mut wrong) = (0, 0, 0, 0_u64);
    for seed in first..first + n {
        match compare_st(seed) {
            Ok(tally) => {
                agreed += tally.agreed;
                faults += tally.faults;
                endless += tally.endless;
            }
            Err(why) => {
                wrong += 1;
                println!("{why}");
            }
        }
    }
    println!(
        "{n} programs, {agreed} scans compared, {faults} runs ended with a fault, {endless} in a scan without end, {wrong} differ; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if wrong > 0 {
        return Err(format!("{wrong} programs differ"));
    }
    Ok(())
}
