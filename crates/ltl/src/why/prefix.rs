//! The bad prefix: after how many letters it is decided that a word violates a formula, whatever follows.
//!
//! With three truth values, all letters after the prefix unknown: if the formula is false then, every continuation
//! violates it. This finds the *informative* bad prefixes (Kupferman, Vardi: Model checking of safety properties, FMSD
//! 2001): those that tell by themselves why the formula is false. If no atom occurs both plainly and negated, every bad
//! prefix is one (the unknown letters can be given the values that help). Otherwise a longer one may be found, or none: `G (p
//! & X !p)` is false after no letter at all, and found to be after two at most.
//!
//! No syntactic class is asked for: `F a & G b` is no safety formula, and yet can be broken for good.

use super::evaluate::{Dag, Known, Moments, Truth, evaluate};

/// The least number of letters of the stem and one round of the cycle after which the formula is known to be false.
pub(super) fn bad_prefix(dag: &Dag, letters: &[u64]) -> Option<usize> {
    let all = vec![u64::MAX; letters.len()];
    let is_bad = |n: usize| {
        let known = &all[..n];
        // The prefix, and then letters of which nothing is known.
        let moments = Moments::new(n, 1, dag);
        let table = evaluate(dag, moments, &mut Known { letters, known });
        table[dag.root()][0] == Truth::False
    };
    if !is_bad(letters.len()) {
        return None;
    }
    // What is bad stays bad: bisect.
    let (mut good, mut bad) = (0, letters.len());
    if is_bad(0) {
        return Some(0);
    }
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if is_bad(middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    Some(bad)
}
