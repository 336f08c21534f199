//! Reads the two forms of AIGER, of text (`aag`) and of bytes (`aig`), which differ in the header's word, in what is left
//! out because its number is known, and in the gates.
//!
//! The text of a binary file has one character for each byte. Numbers in the header are claims: nothing is allocated
//! because of them, and what they promise must be there.

use super::file::{Aig, Gate, Latch, Lit, Reset, SECTIONS, Use};
use lariat_base::{Diagnostic, SourceId, Span};

/// Inputs of the binary form take no bytes: a short file could ask for any number of them.
const MOST_INPUTS: u32 = 1 << 18;

/// Reads a file.
pub(super) fn read(source: SourceId, text: &str) -> Result<Aig, Diagnostic> {
    let mut reader = Reader {
        source,
        text,
        at: 0,
        aig: Aig::default(),
    };
    let header = reader.header()?;
    reader.body(&header)?;
    reader.symbols()?;
    Ok(reader.aig)
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    at: usize,
    aig: Aig,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Binary,
}

struct Header {
    form: Form,
    /// M I L O A B C J F of the format's description.
    numbers: [u32; 9],
}

type Read<T> = Result<T, Diagnostic>;

impl Reader<'_> {
    fn header(&mut self) -> Read<Header> {
        let form = match self.text.get(..4) {
            Some("aag ") => Form::Text,
            Some("aig ") => Form::Binary,
            _ => {
                let finding = self.error("not-aiger", "this is no AIGER file", 0);
                return Err(finding.hint("one begins with `aag M I L O A` or `aig M I L O A`"));
            }
        };
        self.at = 3;
        let mut numbers = [0; 9];
        for (place, number) in numbers.iter_mut().enumerate() {
            if self.peek() != Some(b' ') {
                if place < 5 {
                    let message = "the header has five numbers at least: M I L O A";
                    return Err(self.error("aiger-header", message, self.at));
                }
                break;
            }
            self.at += 1;
            *number = self.number("a number of the header")?;
        }
        self.end_of_line()?;
        let [variables, inputs, latches, _, gates, ..] = numbers;
        let defined = u64::from(inputs) + u64::from(latches) + u64::from(gates);
        let is_right = match form {
            Form::Text => u64::from(variables) >= defined,
            Form::Binary => u64::from(variables) == defined,
        };
        if !is_right {
            let message = format!(
                "the largest variable is {variables}, but there are {defined} inputs, latches and gates"
            );
            return Err(self.error("aiger-header", message, 0));
        }
        if variables > u32::MAX / 2 - 1 || form == Form::Binary && inputs > MOST_INPUTS {
            let message = "the file has more variables than can be read";
            return Err(self.error("aiger-too-large", message, 0));
        }
        Ok(Header { form, numbers })
    }

    fn body(&mut self, header: &Header) -> Read<()> {
        let [
            _,
            inputs,
            latches,
            outputs,
            gates,
            bad,
            constraints,
            justice,
            fairness,
        ] = header.numbers;
        for input in 0..inputs {
            let lit = match header.form {
                Form::Text => self.line_literal("an input")?,
                Form::Binary => self.implied(input + 1),
            };
            self.aig.inputs.push(lit);
        }
        for latch in 0..latches {
            let latch = self.latch(header, inputs + latch + 1)?;
            self.aig.latches.push(latch);
        }
        self.aig.outputs = self.literals(outputs, "an output")?;
        self.aig.bad = self.literals(bad, "a bad state")?;
        self.aig.constraints = self.literals(constraints, "a constraint")?;
        let mut sizes = Vec::new();
        for _ in 0..justice {
            sizes.push(self.number("the size of a justice property")?);
            self.end_of_line()?;
        }
        for size in sizes {
            let property = self.literals(size, "a literal of a justice property")?;
            self.aig.justice.push(property);
        }
        self.aig.fairness = self.literals(fairness, "a fairness constraint")?;
        for gate in 0..gates {
            let gate = match header.form {
                Form::Text => self.gate()?,
                Form::Binary => self.binary_gate(inputs + latches + gate + 1)?,
            };
            self.aig.gates.push(gate);
        }
        Ok(())
    }

    fn literals(&mut self, n: u32, what: &str) -> Read<Vec<Use>> {
        (0..n).map(|_| self.line_literal(what)).collect()
    }

    fn line_literal(&mut self, what: &str) -> Read<Use> {
        let literal = self.literal(what)?;
        self.end_of_line()?;
        Ok(literal)
    }

    fn latch(&mut self, header: &Header, variable: u32) -> Read<Latch> {
        let lit = match header.form {
            Form::Text => {
                let lit = self.literal("a latch")?;
                self.space()?;
                lit
            }
            Form::Binary => self.implied(variable),
        };
        let next = self.literal("the next state of the latch")?;
        let mut reset = Reset::To(false);
        if self.peek() == Some(b' ') {
            self.at += 1;
            let value = self.literal("the first value of the latch")?;
            reset = match value.lit {
                Lit(0) => Reset::To(false),
                Lit(1) => Reset::To(true),
                own if own == lit.lit => Reset::Any,
                _ => {
                    let message = "a latch starts at 0, at 1, or (its own literal) at any value";
                    return Err(self.error("aiger-reset", message, value.at as usize));
                }
            };
        }
        self.end_of_line()?;
        Ok(Latch { lit, next, reset })
    }

    fn gate(&mut self) -> Read<Gate> {
        let output = self.literal("a gate")?;
        self.space()?;
        let first = self.literal("an input of the gate")?;
        self.space()?;
        let second = self.literal("an input of the gate")?;
        self.end_of_line()?;
        let inputs = [first.lit, second.lit];
        Ok(Gate { output, inputs })
    }

    /// A gate as two differences: of its output to its greater input, and of that to its other input.
    fn binary_gate(&mut self, variable: u32) -> Read<Gate> {
        let output = self.implied(variable);
        let mut below = output.lit.0;
        let mut inputs = [Lit(0); 2];
        for (input, least) in inputs.iter_mut().zip([1, 0]) {
            let start = self.at;
            let difference = self.binary_number()?;
            if difference < least || difference > below {
                let message = format!("the inputs of gate {} are not below it", output.lit.0);
                return Err(self.error("aiger-gate", message, start));
            }
            below -= difference;
            *input = Lit(below);
        }
        Ok(Gate { output, inputs })
    }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    fn binary_number(&mut self) -> Read<u32> {
        let (start, mut value) = (self.at, 0_u64);
        for shift in (0..35).step_by(7) {
            let Some(byte) = self.text[self.at..].chars().next() else {
                return Err(self.error("aiger-end", "the file ends inside the gates", self.at));
            };
            self.at += byte.len_utf8();
            let Ok(byte) = u8::try_from(byte) else {
                return Err(self.error("aiger-gate", "this is no byte", start));
            };
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value)
                    .map_err(|_| self.error("aiger-gate", "the number is too large", start));
            }
        }
        Err(self.error("aiger-gate", "the number is too long", start))
    }

    /// Symbols, then the comment.
    fn symbols(&mut self) -> Read<()> {
        while let Some(section) = self.peek() {
            let start = self.at;
            let end = self.text[start..]
                .find('\n')
                .map_or(self.text.len(), |n| start + n);
            let line = self.text[start..end].trim_end_matches('\r');
            if line == "c" {
                return Ok(());
            }
            if !SECTIONS.contains(&section) {
                let message = "a symbol (`i0 name`) or the comment (`c`) is expected here";
                return Err(self.error("aiger-symbol", message, start));
            }
            self.at += 1;
            let position = self.number("the position of what is named")? as usize;
            self.space()?;
            let name = line[self.at - start..].to_owned();
            if position >= self.aig.n_in(section) {
                let message = format!("there is no `{}{position}`", section as char);
                return Err(self.error("aiger-symbol", message, start));
            }
            let known = self.aig.symbols.insert((section, position), name.into());
            if known.is_some() {
                let message = format!("`{}{position}` has two names", section as char);
                return Err(self.error("aiger-symbol", message, start));
            }
            self.at = (end + 1).min(self.text.len());
        }
        Ok(())
    }

    /// A literal that the binary form does not write.
    fn implied(&self, variable: u32) -> Use {
        Use {
            lit: Lit::of(variable),
            at: self.at as u32,
        }
    }

    fn literal(&mut self, what: &str) -> Read<Use> {
        let at = self.at as u32;
        let lit = Lit(self.number(what)?);
        Ok(Use { lit, at })
    }

    fn number(&mut self, what: &str) -> Read<u32> {
        let (start, mut value) = (self.at, 0_u64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value * 10 + u64::from(digit - b'0');
            self.at += 1;
            if value > u64::from(u32::MAX) {
                return Err(self.error("aiger-number", "the number is too large", start));
            }
        }
        if self.at > start {
            return Ok(value as u32);
        }
        let (id, message) = match self.peek() {
            None => (
                "aiger-end",
                format!("the file ends where {what} is expected"),
            ),
            Some(_) => ("aiger-number", format!("{what} is expected here")),
        };
        Err(self.error(id, message, start))
    }

    fn space(&mut self) -> Read<()> {
        if self.peek() == Some(b' ') {
            self.at += 1;
            return Ok(());
        }
        Err(self.error("aiger-line", "one space is expected here", self.at))
    }

    fn end_of_line(&mut self) -> Read<()> {
        if self.peek() == Some(b'\r') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'\n') => self.at += 1,
            None => {}
            Some(_) => {
                let message = "the end of the line is expected here";
                return Err(self.error("aiger-line", message, self.at));
            }
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, id: &'static str, message: impl Into<String>, at: usize) -> Diagnostic {
        let len = self.text[at..].chars().next().map_or(0, char::len_utf8);
        Diagnostic::error(id, message).at(Span::new(self.source, at, at + len))
    }
}
