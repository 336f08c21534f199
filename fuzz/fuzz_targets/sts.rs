//! Any bytes as STS: no crash, and what is read prints and reads back the same.
#![no_main]

use lariat_fuzz::reads_back;
use lariat_system::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| reads_back(Language::Sts, text));
