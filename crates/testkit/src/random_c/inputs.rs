//! What comes in from outside: results of functions without a body, what they store through pointers, reads of volatile
//! variables; in expressions, conditions and calls, wherever a number may stand.
//!
//! Two calls of the same function, and two reads of the same variable, are in a fixed order: each has a cell that it
//! writes. Calls of different functions may be in any order.
//!
//! What an input sees of the global variables is compared, too. What C does in no order with an input is either in the same
//! step of ours, and then not compared, or it is excluded: a function of the program that writes something beside an input, and
//! anything written beside a function that reads inputs.

use super::declare::Maker;
use super::effects::{Cells, Effects};
use super::types::{BOOL, Ex, INT, Int, LONG, UCHAR, UINT};
use std::fmt::Write as _;

/// The types of inputs: each has a function that returns it and one that stores it.
const TYPES: [(&str, Int); 5] = [
    ("int", INT),
    ("uint", UINT),
    ("uchar", UCHAR),
    ("bool", BOOL),
    ("long", LONG),
];

/// The cell of the inputs of the first type; the others follow.
const FIRST_CELL: u32 = 15;

/// Read by inputs, written by calls of functions that write anything.
const SEEN: Cells = 1 << 20;
/// Read by calls of functions that read inputs, written by whatever writes anything.
const SEEN_BY_CALLS: Cells = 1 << 21;

/// A volatile variable.
#[derive(Clone, Debug)]
pub(super) struct Volatile {
    name: String,
    int: Int,
    cell: Cells,
}

fn cell(of: usize) -> Cells {
    1 << (FIRST_CELL + of as u32)
}

impl Maker<'_> {
    /// Declares where inputs come from.
    pub fn declare_inputs(&mut self) -> String {
        let mut text = String::new();
        let prefix = self.prefix.clone();
        for (name, int) in TYPES {
            let ty = int.name;
            let _ = writeln!(text, "extern {ty} {prefix}rd_{name}(void);");
            let _ = writeln!(text, "extern _Bool {prefix}get_{name}({ty} *to);");
        }
        self.steps = self.once_in(3);
        if self.steps {
            text.push_str("extern void __VERIFIER_ltl_step(void);\n");
        }
        for _ in 0..self.below(3) {
            let name = self.fresh(&format!("{prefix}w"));
            let int = self.any_int();
            let _ = writeln!(text, "volatile {} {name};", int.name);
            let cell = self.new_cell();
            self.volatiles.push(Volatile { name, int, cell });
        }
        text
    }

    /// An input as a number, if one may be read here.
    pub fn input(&mut self, around: Effects) -> Option<Ex> {
        let of = self.below(TYPES.len());
        let (name, int) = TYPES[of];
        let own = Effects::writing(cell(of));
        let prefix = self.prefix.clone();
        let input = match self.below(4) {
            0 if !self.volatiles.is_empty() => {
                let at = self.below(self.volatiles.len());
                let Volatile { name, int, cell } = self.volatiles[at].clone();
                Ex {
                    text: name,
                    int,
                    range: int.range(),
                    effects: Effects::writing(cell),
                }
            }
            1 if !int.signed => {
                let (at, cells) = self.address(int)?;
                Ex {
                    text: format!("{prefix}get_{name}({at})"),
                    int: BOOL,
                    range: (0, 1),
                    effects: own.and(Effects::writing(cells)),
                }
            }
            _ => Ex {
                text: format!("{prefix}rd_{name}()"),
                int,
                range: int.range(),
                effects: own,
            },
        };
        let effects = input.effects.and(Effects::reading(SEEN));
        let input = Ex { effects, ..input };
        effects.fits(around).then_some(input)
    }

    /// What a call of a function of the program does beside its own effects.
    pub fn seen_by_inputs(&self, effects: Effects) -> Effects {
        let any = |is: bool, cells: Cells| if is { cells } else { 0 };
        let is_input = effects.reads & SEEN != 0;
        Effects {
            reads: any(is_input, SEEN_BY_CALLS),
            writes: any(
                self.conf.inputs && effects.writes != 0,
                SEEN | SEEN_BY_CALLS,
            ),
        }
    }

    /// What an assignment inside an expression does beside its own effects.
    pub fn seen_by_calls(&self) -> Effects {
        Effects::writing(if self.conf.inputs { SEEN_BY_CALLS } else { 0 })
    }

    /// A statement about inputs alone; false if it made none.
    pub fn input_statement(&mut self) -> bool {
        let of = self.below(TYPES.len());
        let (name, int) = TYPES[of];
        let prefix = self.prefix.clone();
        if self.once_in(3) && !self.volatiles.is_empty() {
            let at = self.below(self.volatiles.len());
            let Volatile { name, int, cell } = self.volatiles[at].clone();
            let value = self.expression(2, Effects::writing(cell));
            let value = self.fitting(value, int);
            self.does = self.does.and(value.effects).and(Effects::writing(cell));
            self.line(&format!("{name} = {};", value.text));
            return true;
        }
        let Some(place) = self.place(Effects::default(), true, 0) else {
            return false;
        };
        // Through a variable of its own: what is stored may be any number of the type.
        let local = self.fresh("u");
        self.line(&format!("{} {local};", int.name));
        self.line(&format!("{prefix}get_{name}(&{local});"));
        let value = Ex {
            text: local,
            int,
            range: int.range(),
            effects: Effects::default(),
        };
        let value = self.fitting(value, place.int);
        let own = Effects::writing(cell(of) | place.cells);
        let seen = Effects::reading(SEEN);
        self.does = self.does.and(place.finding).and(own).and(seen);
        self.line(&format!("{} = {};", place.text, value.text));
        true
    }
}
