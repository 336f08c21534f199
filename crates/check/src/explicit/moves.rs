//! How the property's reader moves when a concrete state is read.
//!
//! Its atoms run as compiled code; where they have no such form, or it overflows, they are evaluated. The moves of
//! the last letter are remembered: the successors of a node mostly have one letter.

use super::codes::{Codes, code_of, id_of};
use super::layout::Width;
use crate::acceptance::{MarkSetId, MarkSets};
use crate::confirm::letter;
use crate::reader::Reader;
use lariat_system::{Context, Edge, Machine, PointId, Predicates, Variable};

/// A move: where to, with which marks.
pub(super) type Move = (i64, MarkSetId);

/// The moves of a reader between states given by their codes. Without a reader it stays where it is.
#[derive(Debug)]
pub(super) struct ReaderMoves {
    reader: Option<Reader>,
    /// The atoms as code, if they have that form.
    code: Option<Predicates>,
    machine: Machine,
    moves: Vec<Move>,
    /// The state and the letter of these moves; no letter if nothing was read.
    moved: Option<(i64, Option<u64>)>,
}

impl ReaderMoves {
    /// The moves of a reader over these variables.
    pub fn new(cx: &Context, variables: &[Variable], reader: Option<Reader>) -> Self {
        let code = |reader: &Reader| Predicates::new(cx, variables, reader.terms()).ok();
        Self {
            code: reader.as_ref().and_then(code),
            reader,
            machine: Machine::new(),
            moves: Vec::new(),
            moved: None,
        }
    }

    /// How wide the reader's part of a node is.
    pub fn width(&self) -> Width {
        let reader = self.reader.as_ref();
        let n_states = reader.map_or(1, |reader| reader.automaton().n_states());
        Width::range(0, i64::from(n_states as u32) - 1)
    }

    /// Where the reader is before anything was read.
    pub fn start(&self) -> i64 {
        let reader = self.reader.as_ref();
        reader.map_or(0, |reader| code_of(reader.automaton().initial()))
    }

    /// Whether it is where it goes when it reads a bad state.
    pub fn is_bad(&self, at: i64) -> bool {
        let reader = self.reader.as_ref();
        reader.is_some_and(|reader| reader.is_bad(id_of(at)))
    }

    /// The moves from `from` after a step to a state with these codes.
    pub fn of(
        &mut self,
        (cx, variables, codes): (&Context, &[Variable], &Codes),
        sets: &mut MarkSets,
        from: i64,
        edge: Edge<PointId>,
        state: &[i64],
    ) -> &[Move] {
        let reader = self.reader.as_ref().filter(|_| edge.observed);
        let letter = reader.map(|reader| {
            let machine = (&mut self.machine, self.code.as_ref());
            read(reader, machine, (cx, variables, codes), edge.target, state)
        });
        if self.moved != Some((from, letter)) {
            self.moved = Some((from, letter));
            self.moves.clear();
            match reader.zip(letter) {
                Some((reader, letter)) => {
                    let moves = reader.moves(sets, id_of(from), letter);
                    let moves = moves.map(|(to, marks)| (code_of(to), marks));
                    self.moves.extend(moves);
                }
                None => self.moves.push((from, MarkSetId::EMPTY)),
            }
        }
        &self.moves
    }
}

/// The truth of what a reader reads in a state with these codes, as bits.
fn read(
    reader: &Reader,
    (machine, code): (&mut Machine, Option<&Predicates>),
    (cx, variables, codes): (&Context, &[Variable], &Codes),
    loc: PointId,
    state: &[i64],
) -> u64 {
    if reader.terms().is_empty() {
        return 0;
    }
    if let Some(code) = code
        && codes.are_registers(state)
        && let Ok(letter) = machine.truths(code, state)
    {
        return letter;
    }
    letter(cx, variables, &codes.state(cx, loc, state), reader.terms())
}
