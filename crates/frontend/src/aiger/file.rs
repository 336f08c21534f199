//! What an AIGER file says, before it has a meaning.

use lariat_base::FxHashMap;

/// A literal: twice a variable, and one more if it is negated. 0 is false, 1 is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(pub u32);

impl Lit {
    pub fn of(variable: u32) -> Self {
        Self(2 * variable)
    }

    pub fn variable(self) -> u32 {
        self.0 / 2
    }

    pub fn negated(self) -> Self {
        Self(self.0 ^ 1)
    }

    pub fn is_negated(self) -> bool {
        self.0 % 2 == 1
    }
}

/// A literal and the byte of the file where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub lit: Lit,
    pub at: u32,
}

/// The value of a latch in the first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reset {
    To(bool),
    Any,
}

/// A latch; its place in the file is that of `next` where the format does not write the latch itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latch {
    pub lit: Use,
    pub next: Use,
    pub reset: Reset,
}

/// An and-gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub output: Use,
    pub inputs: [Lit; 2],
}

/// The sections that have symbols, by their letters.
pub(super) const SECTIONS: &[u8; 7] = b"ilobcjf";

/// A file.
#[derive(Debug, Default)]
pub(super) struct Aig {
    pub inputs: Vec<Use>,
    pub latches: Vec<Latch>,
    pub outputs: Vec<Use>,
    pub bad: Vec<Use>,
    pub constraints: Vec<Use>,
    pub justice: Vec<Vec<Use>>,
    pub fairness: Vec<Use>,
    /// In the order of the file; [`super::order`] makes each come after what it reads.
    pub gates: Vec<Gate>,
    /// Names by section and position.
    pub symbols: FxHashMap<(u8, usize), Box<str>>,
}

impl Aig {
    /// The name that the file gives to something.
    pub fn symbol(&self, section: u8, position: usize) -> Option<&str> {
        self.symbols.get(&(section, position)).map(|name| &**name)
    }

    /// How many things a section has.
    pub fn n_in(&self, section: u8) -> usize {
        match section {
            b'i' => self.inputs.len(),
            b'l' => self.latches.len(),
            b'o' => self.outputs.len(),
            b'b' => self.bad.len(),
            b'c' => self.constraints.len(),
            b'j' => self.justice.len(),
            _ => self.fairness.len(),
        }
    }
}
