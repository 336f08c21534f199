//! Any bytes as AIGER: no crash, and what is read prints and reads back the same.
#![no_main]

use lariat_fuzz::reads_back;
use lariat_system::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // One character for each byte, as files are read.
    let text: String = bytes.iter().copied().map(char::from).collect();
    reads_back(Language::Aiger, &text);
});
