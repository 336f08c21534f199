//! Automata over infinite words, made on the fly, and what a set of words is subtracted by.
//!
//! Nothing here knows what letters mean. A *world* is what an automaton asks when it reads one: a solver, or nothing in
//! tests. States are dense numbers, each automaton's own.

use crate::acceptance::MarkSetId;
use crate::session::Halt;
use lariat_base::id_type;
use lariat_expr::TermId;

id_type!(
    /// A letter: a step of the product.
    pub(crate) struct LetterId, "a"
);

id_type!(
    /// A state of one word automaton.
    pub(crate) struct WordStateId, "q"
);

/// A letter as it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// The letter.
    pub letter: LetterId,
    /// What is known to be true before it, if the word can be executed up to here.
    pub known: TermId,
}

/// A Büchi automaton: a word is accepted if some run meets accepting states again and again.
pub(crate) trait Buchi<W> {
    /// The states before the first letter.
    fn initial(&self) -> Vec<WordStateId>;
    /// Whether a state is accepting.
    fn is_accepting(&self, state: WordStateId) -> bool;
    /// Appends the states after a letter.
    fn step(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt>;
}

/// A semi-deterministic Büchi automaton. Runs start in its first part, jump once to the second, and from there on nothing is
/// left to choose. A word is accepted if some run takes accepting steps of the second part again and again. The two
/// parts number their states apart.
pub(crate) trait SemiDeterministic<W> {
    /// The states of the first part before the first letter.
    fn initial(&self) -> Vec<WordStateId>;
    /// Appends the states of the first part after a letter.
    fn first(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt>;
    /// Appends the states of the second part to which a letter leads from one of the first part.
    fn jump(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt>;
    /// Where a letter leads from a state of the second part, if anywhere, and whether that step is accepting.
    fn second(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
    ) -> Result<Option<(WordStateId, bool)>, Halt>;
}

/// An automaton of the words that stay when some are subtracted. Its steps carry acceptance marks, and may tell the cases of
/// a letter apart.
pub(crate) trait Layer<W> {
    /// The states before the first letter.
    fn initial(&mut self) -> Vec<WordStateId>;
    /// Appends the steps that read a letter. The executions of a letter's cases together are those of the letter.
    fn step(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt>;
    /// What is true of the variables in a state, if the word can be executed up to there; nothing if it says nothing.
    fn says(&self, _state: WordStateId) -> Option<TermId> {
        None
    }
}

/// A step of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// Where it leads.
    pub state: WordStateId,
    /// Its acceptance marks.
    pub marks: MarkSetId,
    /// The letter, or the case of it.
    pub letter: LetterId,
}
