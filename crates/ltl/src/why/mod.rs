//! Why does a lasso word violate a formula? Facts that decide it, none of them superfluous, and an argument from the whole
//! formula down to them.
//!
//! A *fact* is the value of an atom at a position of the lasso. A set of facts is *sufficient* if every lasso word of the
//! same shape (stem and cycle as long) that agrees with it violates the formula: change the other atoms at will, and the
//! formula is still violated. The *cause* is sufficient, and if [`Explanation::minimal`] says so (always but for very long
//! words or formulas: `exact` has the limits), none of its facts can be left out. There may be other causes, also smaller
//! ones: of several moments at which `G p` is broken one is named.
//!
//! The *reasons* are a tree: this subformula has this value at these moments, because of those. Leaves are atoms.
//!
//! How it is found. All atoms of the word are known at first. `reason` takes the cheapest argument, from the whole formula
//! down; the atoms it ends in are sufficient, because an argument speaks of nothing else. `exact` leaves out what is not
//! needed for the formula to be false with three truth values, where all other atoms are unknown. A formula that is false in
//! that sense has an argument that uses known atoms only: that is the tree. If atoms occur both plainly and negated, three
//! truth values may be too weak to see that a fact is not needed (`(b | c) & (!b | c)` with both false rests on `c` alone);
//! then a decision diagram takes such facts out of the cause, and the tree still speaks of them.
//!
//! After Beer, Ben-David, Chockler, Orni, Trefler: Explaining counterexamples using causality (CAV 2009), where the cause
//! is approximated from the formula's structure; sufficiency and minimality are exact here.

mod evaluate;
mod exact;
mod prefix;
mod reason;

use crate::formula::{ApId, FormulaId, Formulas};
use crate::word::LassoWord;
use evaluate::{Dag, Known, Truth, evaluate};
use exact::Tried;
use reason::Reasons;

pub use evaluate::Moments;

/// The most subformulas times moments: more would take too much memory, and nobody could follow the argument.
const MAX_CELLS: usize = 1 << 22;

/// A tree is not grown beyond this many reasons.
const MAX_REASONS: usize = 1000;

/// Why a word violates a formula.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What decides it, by position and then by the order of the word's atoms. Never about atoms that the word does not
    /// list: those are false everywhere.
    pub cause: Vec<Fact>,
    /// Whether no fact of the cause can be left out. If not, that would have taken too long to find out.
    pub minimal: bool,
    /// The argument, as a tree: the first is that the whole formula is false at the start, and each stands before those
    /// that it rests on.
    pub reasons: Vec<Reason>,
    /// The number of letters, of the stem and one round of the cycle, after which every continuation violates the formula,
    /// if there is one (`prefix` says which are found).
    pub bad_prefix: Option<usize>,
    /// The moments that reasons speak of.
    pub moments: Moments,
}

/// The value of an atom at a position of a lasso.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The position: in the stem, or in the cycle after it.
    pub position: usize,
    /// The atom.
    pub ap: ApId,
    /// Its value.
    pub value: bool,
}

/// That a subformula has a value at some moments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The subformula.
    pub formula: FormulaId,
    /// Its value.
    pub value: bool,
    /// The moments, in order: see [`Moments`].
    pub moments: Vec<usize>,
    /// The reasons that it rests on; none for an atom, for a constant, and for what is so because there is no moment
    /// before the first.
    pub because: Vec<usize>,
    /// Whether reasons that it rests on were left out, because the tree is too large.
    pub cut: bool,
}

/// Why `word` violates `formula`; `None` if it does not, or if there are more than four million subformulas times moments.
pub fn explain(formulas: &Formulas, word: &LassoWord, formula: FormulaId) -> Option<Explanation> {
    let dag = Dag::new(formulas, word, formula);
    let letters: Vec<u64> = [word.stem(), word.cycle()].concat();
    let moments = Moments::new(word.stem().len(), word.cycle().len(), &dag);
    if dag.nodes.len().saturating_mul(moments.len()) > MAX_CELLS {
        return None;
    }
    let all = vec![u64::MAX; letters.len()];
    let values = |known: &[u64]| {
        let letters = &letters;
        evaluate(&dag, moments, &mut Known { letters, known })
    };
    let table = values(&all);
    if table[dag.root()][0] != Truth::False {
        return None;
    }
    let mut known = used(&dag, moments, &table, letters.len());
    let mut tried = exact::without_unneeded(&dag, moments, &letters, &mut known);
    let table = values(&known);
    assert!(
        table[dag.root()][0] == Truth::False,
        "the atoms of an argument are sufficient"
    );
    let reasons = tree(&dag, &Reasons::new(&dag, moments, &table));
    let (plain, negated) = dag.polarities();
    if plain & negated != 0 {
        tried = exact::smallest(&dag, moments, &letters, &mut known);
    }
    let mut cause = Vec::new();
    for (position, &bits) in known.iter().enumerate() {
        let aps = word.aps().iter().enumerate();
        cause.extend(
            aps.filter(|(bit, _)| bits >> bit & 1 == 1)
                .map(|(bit, &ap)| Fact {
                    position,
                    ap,
                    value: letters[position] >> bit & 1 == 1,
                }),
        );
    }
    Some(Explanation {
        cause,
        minimal: tried == Tried::All,
        reasons,
        bad_prefix: prefix::bad_prefix(&dag, &letters),
        moments,
    })
}

/// The atoms that the cheapest argument ends in: for each position of the lasso the bits.
fn used(dag: &Dag, moments: Moments, table: &[Vec<Truth>], n_positions: usize) -> Vec<u64> {
    let reasons = Reasons::new(dag, moments, table);
    let mut used = vec![0u64; n_positions];
    // For each subformula the moments at which it is needed to be false, and true.
    let mut needed = vec![[Vec::new(), Vec::new()]; dag.nodes.len()];
    needed[dag.root()][0].push(0);
    for f in (0..dag.nodes.len()).rev() {
        for value in [false, true] {
            let mut at = std::mem::take(&mut needed[f][usize::from(value)]);
            at.sort_unstable();
            at.dedup();
            if let Some(bit) = dag.nodes[f].bit {
                for &moment in &at {
                    used[moments.position(moment)] |= 1 << bit;
                }
            }
            for ground in reasons.grounds(f, value, &at) {
                needed[ground.operand][usize::from(ground.value)].extend(ground.moments);
            }
        }
    }
    used
}

/// The argument as a tree.
fn tree(dag: &Dag, reasons: &Reasons<'_>) -> Vec<Reason> {
    let reason = |f: usize, value, moments| Reason {
        formula: dag.nodes[f].formula,
        value,
        moments,
        because: Vec::new(),
        cut: false,
    };
    let mut tree = vec![reason(dag.root(), false, vec![0])];
    let mut nodes = vec![dag.root()];
    for at in 0.. {
        let (Some(this), Some(&f)) = (tree.get(at), nodes.get(at)) else {
            break;
        };
        let grounds = reasons.grounds(f, this.value, &this.moments);
        if tree.len() + grounds.len() > MAX_REASONS {
            tree[at].cut = !grounds.is_empty();
            continue;
        }
        for ground in grounds {
            let next = tree.len();
            tree[at].because.push(next);
            tree.push(reason(ground.operand, ground.value, ground.moments));
            nodes.push(ground.operand);
        }
    }
    tree
}
