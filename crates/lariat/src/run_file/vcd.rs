//! VCD, Value Change Dump (IEEE 1364-2005, clause 18), for waveform viewers: a unit of time for each step.
//!
//! Booleans are wires of one bit, integers registers as wide as their values in two's complement, all other values strings
//! (an extension that viewers know: `s` before the value). The round of a loop is there once; a wire says which steps are in it.

use lariat_verify::report::{Column, PropertyReport, RunReport, ValueReport};
use std::fmt::Write as _;

/// What kind of signal shows a variable.
enum Signal {
    Bit,
    Word(usize),
    Text,
}

/// The waveform of a run.
pub fn write(property: &PropertyReport, run: &RunReport) -> String {
    let columns = run.columns();
    let signals: Vec<Signal> = columns.iter().map(signal).collect();
    let mut text = String::new();
    let comment = plain(&property.text);
    let _ = writeln!(text, "$comment a run that violates {comment} $end");
    text.push_str("$version Lariat $end\n$timescale 1 ns $end\n$scope module run $end\n");
    let _ = writeln!(text, "$var wire 1 {} loop $end", code(0));
    for (i, (variable, signal)) in run.variables.iter().zip(&signals).enumerate() {
        let (kind, width) = match signal {
            Signal::Bit => ("wire", 1),
            Signal::Word(width) => ("reg", *width),
            Signal::Text => ("string", 1),
        };
        let (code, name) = (code(i + 1), plain(&variable.name));
        let _ = writeln!(text, "$var {kind} {width} {code} {name} $end");
    }
    text.push_str("$upscope $end\n$enddefinitions $end\n");
    let mut next = vec![0; columns.len()];
    for number in 1..=run.steps.len() {
        let _ = writeln!(text, "#{}", number - 1);
        match run.loop_starts_after_step {
            Some(start) if number == start + 1 => {
                let _ = writeln!(text, "1{}", code(0));
            }
            _ if number == 1 => {
                let _ = writeln!(text, "0{}", code(0));
            }
            _ => {}
        }
        for (i, column) in columns.iter().enumerate() {
            if let Some((at, value)) = column.get(next[i])
                && *at == number
            {
                next[i] += 1;
                change(&mut text, &signals[i], value, &code(i + 1));
            }
        }
    }
    let _ = writeln!(text, "#{}", run.steps.len());
    text
}

fn signal(column: &Column) -> Signal {
    let values = || column.iter().map(|(_, value)| value);
    if values().all(|value| value.truth().is_some()) {
        return Signal::Bit;
    }
    let widths = values().map(|value| value.digits().map(|digits| width(&digits)));
    match widths.collect::<Option<Vec<usize>>>() {
        Some(widths) => Signal::Word(widths.into_iter().max().unwrap_or(1)),
        None => Signal::Text,
    }
}

fn change(text: &mut String, signal: &Signal, value: &ValueReport, code: &str) {
    let _ = match (signal, value.truth(), value.digits()) {
        (Signal::Bit, Some(truth), _) => writeln!(text, "{}{code}", u8::from(truth)),
        (Signal::Word(width), _, Some(digits)) => {
            writeln!(text, "b{} {code}", bits(&digits, *width))
        }
        _ => writeln!(text, "s{} {code}", plain(&value.to_string())),
    };
}

/// How many bits an integer needs in two's complement.
fn width(digits: &str) -> usize {
    let (is_negative, binary) = magnitude(digits);
    // -2^n needs as many bits as 2^n - 1 does.
    let is_power = binary.iter().filter(|&&bit| bit).count() == 1;
    binary.len() + usize::from(!(is_negative && is_power))
}

/// An integer in two's complement with so many bits, the highest first.
fn bits(digits: &str, width: usize) -> String {
    let (is_negative, mut binary) = magnitude(digits);
    binary.resize(width, false);
    if is_negative {
        let mut carries = true;
        for bit in &mut binary {
            (*bit, carries) = (!*bit ^ carries, !*bit && carries);
        }
    }
    let bits = binary.iter().rev();
    bits.map(|&bit| if bit { '1' } else { '0' }).collect()
}

/// The sign, and the bits of the absolute value, the lowest first. By halving the decimal digits: numbers are of any size.
fn magnitude(digits: &str) -> (bool, Vec<bool>) {
    let (is_negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let mut decimal: Vec<u8> = digits.bytes().map(|digit| digit - b'0').collect();
    let mut bits = Vec::new();
    while decimal.iter().any(|&digit| digit != 0) {
        let mut rest = 0;
        for digit in &mut decimal {
            let whole = rest * 10 + *digit;
            (*digit, rest) = (whole / 2, whole % 2);
        }
        bits.push(rest == 1);
    }
    (is_negative, bits)
}

/// The identifier of a signal: printable characters, `!` to `~`.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
        number -= 1;
    }
}

/// A text without blanks, as names and strings have to be.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match &words[..] {
        [] => "_".into(),
        words => words.join("_"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bits, code, width};

    #[test]
    fn integers_are_in_twos_complement() {
        // n bits hold -2^(n-1) to 2^(n-1) - 1.
        for (number, n_bits) in [
            (0, 1),
            (-1, 1),
            (1, 2),
            (-2, 2),
            (127, 8),
            (-128, 8),
            (128, 9),
            (-129, 9),
        ] {
            assert_eq!(width(&number.to_string()), n_bits, "{number}");
        }
        for number in -300_i64..300 {
            let width = width(&number.to_string()) + 3;
            let text = bits(&number.to_string(), width);
            let value = i64::from_str_radix(&text, 2).expect("bits");
            let value = if text.starts_with('1') {
                value - (1 << width)
            } else {
                value
            };
            assert_eq!(value, number);
        }
        let large = "1208925819614629174706175"; // 2^80 - 1
        assert_eq!(bits(large, 81), format!("0{}", "1".repeat(80)));
    }

    #[test]
    fn signals_have_codes_of_their_own() {
        let mut codes: Vec<String> = (0..20_000).map(code).collect();
        assert!(
            codes
                .iter()
                .flat_map(|code| code.bytes())
                .all(|byte| (b'!'..=b'~').contains(&byte))
        );
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), 20_000);
    }
}
