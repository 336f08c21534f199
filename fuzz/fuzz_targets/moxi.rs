//! Any bytes as MoXI: no crash, and what is read prints, reads back and prints the same.
#![no_main]

use lariat_fuzz::prints_back;
use lariat_system::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| prints_back(Language::Moxi, text));
