//! Circuits and SMV models with random changes: each is read or refused, nothing panics. `LARIAT_MUTATIONS` is how many of each language.
#![allow(
    clippy::print_stdout,
    reason = "the harness shows what a panic was about"
)]

mod common;

use common::load;
use lariat_system::Language;
use lariat_testkit::{Rng, print_smv, random_aiger, random_btor2, random_smv, rng};
use rand::Rng as _;

/// Words that lead somewhere, besides what the text has itself.
const WORDS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "65536",
    "4294967295",
    "18446744073709551616",
    "next(",
    "case",
    "esac",
    "{",
    "}",
    "..",
    "word[",
    "[",
    "]",
    "::",
    "union",
    "MODULE",
    "VAR",
    "self",
    "process",
    "sort bitvec",
    "aig ",
    "\n",
];

fn changed(text: &str, random: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.random_range(1..5) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(0..8)).min(bytes.len());
        let piece: Vec<u8> = match random.random_range(0..4) {
            0 => Vec::new(),
            1 => vec![random.random_range(0..128)],
            2 => WORDS[random.random_range(0..WORDS.len())].into(),
            _ => {
                let from = random.random_range(0..=bytes.len());
                let to = (from + random.random_range(0..40)).min(bytes.len());
                bytes[from..to].to_vec()
            }
        };
        bytes.splice(at..end, piece);
    }
    // One character for each byte, as circuits are read.
    bytes.into_iter().map(char::from).collect()
}

#[test]
fn changed_texts_are_read_or_refused() {
    let n = std::env::var("LARIAT_MUTATIONS");
    let n: u64 = n.ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    for seed in 0..n {
        for language in [Language::Aiger, Language::Btor2, Language::Smv] {
            let mut random = rng(seed);
            let text = match language {
                Language::Aiger => random_aiger(&mut random),
                Language::Btor2 => random_btor2(&mut random),
                _ => print_smv(&random_smv(&mut random)),
            };
            let text = changed(&text, &mut random);
            // Told by the harness if this one panics.
            println!("seed {seed}, {language:?}:\n{text}");
            let _ = load(language, "changed", &text);
        }
    }
}
