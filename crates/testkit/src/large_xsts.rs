//! A large XSTS text, for benchmarks of the parser: shaped like the statecharts that tools generate.

use rand::Rng as _;
use std::fmt::Write;

const N_ENUMS: usize = 100;
const N_LITERALS: usize = 8;

/// A model of about `bytes` bytes, always the same for the same seed: one variable per 4 KB, and
/// transitions of guarded blocks with assignments, conditions and choices.
pub fn large_xsts(bytes: usize, seed: u64) -> String {
    let mut text = Text {
        rng: crate::rng(seed),
        out: String::with_capacity(bytes + 4096),
        n: (bytes / 4096).clamp(10, 100_000),
    };
    for i in 0..N_ENUMS {
        let literals: Vec<String> = (0..N_LITERALS).map(|j| format!("State_{j}")).collect();
        let _ = writeln!(
            text.out,
            "type Region_{i} : {{ __Inactive__, {} }}",
            literals.join(", ")
        );
    }
    for i in 0..text.n {
        let _ = match i % 3 {
            0 => writeln!(text.out, "var signal_{i} : boolean = false"),
            1 => writeln!(text.out, "var counter_{i} : integer = {}", i % 7),
            _ => writeln!(
                text.out,
                "ctrl var region_{i} : Region_{} = __Inactive__",
                i % N_ENUMS
            ),
        };
    }
    text.out += "\ntrans ";
    loop {
        text.branch();
        if text.out.len() >= bytes {
            break;
        }
        text.out += " or ";
    }
    text.out += "\n\ninit {\n    signal_0 := true;\n}\n\nenv {\n    havoc signal_3;\n}\n\nprop {\n    !signal_6\n}\n";
    text.out
}

struct Text {
    rng: crate::Rng,
    out: String,
    n: usize,
}

impl Text {
    fn pick(&mut self, kind: usize) -> usize {
        let i = self.rng.random_range(0..self.n / 3);
        3 * i + kind
    }

    fn branch(&mut self) {
        self.out += "{\n    assume ";
        self.condition();
        self.out += ";\n";
        for _ in 0..self.rng.random_range(3..12) {
            match self.rng.random_range(0..10) {
                0 => {
                    self.out += "    if (";
                    self.condition();
                    self.out += ") {\n    ";
                    self.assignment();
                    self.out += "    } else {\n    ";
                    self.assignment();
                    self.out += "    }\n";
                }
                1 => {
                    self.out += "    choice {\n    ";
                    self.assignment();
                    self.out += "    } or {\n    ";
                    self.assignment();
                    self.out += "    }\n";
                }
                2 => {
                    let i = self.pick(0);
                    let _ = writeln!(self.out, "    havoc signal_{i};");
                }
                _ => self.assignment(),
            }
        }
        self.out += "}";
    }

    fn assignment(&mut self) {
        match self.rng.random_range(0..3) {
            0 => {
                let i = self.pick(0);
                let _ = write!(self.out, "    signal_{i} := ");
                self.condition();
                self.out += ";\n";
            }
            1 => {
                let (i, j, k) = (self.pick(1), self.pick(1), self.pick(1));
                let (a, b) = (self.rng.random_range(0..1000), self.rng.random_range(1..9));
                let _ = writeln!(
                    self.out,
                    "    counter_{i} := counter_{j} + {b} * counter_{k} - {a};"
                );
            }
            _ => {
                let (i, j) = (self.pick(2), self.rng.random_range(0..N_LITERALS));
                let _ = writeln!(self.out, "    region_{i} := State_{j};");
            }
        }
    }

    fn condition(&mut self) {
        self.out += "((";
        for part in 0..self.rng.random_range(2..5) {
            if part > 0 {
                self.out += if self.rng.random_range(0..3) == 0 {
                    ") || ("
                } else {
                    " && "
                };
            }
            match self.rng.random_range(0..3) {
                0 => {
                    let i = self.pick(0);
                    let not = if self.rng.random_range(0..2) == 0 {
                        "!"
                    } else {
                        ""
                    };
                    let _ = write!(self.out, "{not}signal_{i}");
                }
                1 => {
                    let (i, a) = (self.pick(1), self.rng.random_range(0..100));
                    let _ = write!(self.out, "(counter_{i} <= {a})");
                }
                _ => {
                    let (i, j) = (self.pick(2), self.rng.random_range(0..N_LITERALS));
                    let _ = write!(self.out, "(region_{i} == State_{j})");
                }
            }
        }
        self.out += "))";
    }
}
