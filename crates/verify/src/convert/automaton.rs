//! Automata as parts of the machine, for languages without formulas, and for properties that are no formulas.
//!
//! An automaton that accepts the bad words reads every observed state: an input chooses one of the edges of its state, which must
//! fit the letter, and a step of the machine goes along it. A run that takes an edge that does not fit is lost for
//! good. So a bad run is one that meets each set of marks again and again and is never lost. Every property has an
//! automaton of its own, and none of them keeps the model from anything.
//!
//! A compassion constraint is guessed: an input says from when on its request never comes again.

use super::claim::{Claim, Formula, Temporal};
use super::functions::{Functions, State};
use super::machine::made;
use lariat_base::Id as _;
use lariat_expr::{TermId, Value, VarId};
use lariat_ltl::{Automaton, Edge, FormulaId, Op};
use lariat_system::{Context, Fairness};

/// Which temporal properties become automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// All of them.
    All,
    /// Those that are no formulas.
    Formulaless,
}

/// Adds the automata of properties to the machine.
pub(super) fn add_automata(cx: &mut Context, functions: &mut Functions, which: Which) {
    for at in 0..functions.claims.len() {
        let claimed = &functions.claims[at];
        if let Claim::Temporal(temporal) = &claimed.claim
            && (which == Which::All || temporal.formula.is_none())
        {
            let (name, temporal) = (claimed.name.clone(), temporal.clone());
            let said = temporal.formula.as_ref();
            let recurring = said.and_then(|formula| recurring(cx, formula));
            let recurring = recurring.unwrap_or_else(|| add(cx, functions, &name, &temporal));
            functions.claims[at].claim = Claim::NeverAll(recurring);
        }
    }
}

/// What recurs on the bad runs of a formula that needs no automaton: `!(G F a && G F b)` or `F G !a`.
fn recurring(cx: &mut Context, formula: &Formula) -> Option<Vec<TermId>> {
    let formulas = &formula.formulas;
    let under = |op: Op, at: FormulaId| match formulas.children(at) {
        &[inner] if formulas.op(at) == op => Some(inner),
        _ => None,
    };
    let term = |at: FormulaId| {
        let Op::Ap(ap) = formulas.op(at) else {
            return None;
        };
        let atom = formula.atoms.iter().find(|atom| atom.0 == ap)?;
        Some(atom.1)
    };
    let ends = under(Op::F, formula.root).and_then(|at| under(Op::G, at));
    if let Some(term) = ends.and_then(term) {
        return Some(vec![cx.terms.not(term)]);
    }
    let (mut todo, mut all) = (vec![under(Op::Not, formula.root)?], Vec::new());
    while let Some(at) = todo.pop() {
        if formulas.op(at) == Op::And {
            todo.extend(formulas.children(at).iter().rev());
        } else {
            all.push(term(under(Op::F, under(Op::G, at)?)?)?);
        }
    }
    Some(all)
}

/// Turns compassion constraints into justice constraints. Where no claim is about infinite runs, they constrain nothing that is asked.
pub(super) fn guess_compassion(cx: &mut Context, functions: &mut Functions) {
    let is_asked = |claim: &Claim| !matches!(claim, Claim::Always(_));
    if !functions
        .claims
        .iter()
        .any(|claimed| is_asked(&claimed.claim))
    {
        let is_justice = |constraint: &Fairness| matches!(constraint, Fairness::Justice(_));
        functions.fairness.retain(is_justice);
        return;
    }
    for at in 0..functions.fairness.len() {
        let Fairness::Compassion(request, response) = functions.fairness[at] else {
            continue;
        };
        let guess = input(cx, functions, &format!("silent{at}"));
        let (silent, is_silent) = flag(cx, functions, &format!("is_silent{at}"));
        let (wrong, is_wrong) = flag(cx, functions, &format!("spoke{at}"));
        let terms = &mut cx.terms;
        let silent_now = terms.or(&[is_silent, guess]);
        set(functions, silent, silent_now);
        let speaks = terms.and(&[is_silent, request]);
        let wrong_now = terms.or(&[is_wrong, speaks]);
        set(functions, wrong, wrong_now);
        let right = terms.not(is_wrong);
        let kept = terms.and(&[is_silent, right]);
        functions.fairness[at] = Fairness::Justice(terms.or(&[response, kept]));
    }
}

/// Lets marks be read after the step that has them, where formulas cannot read the inputs of a step.
pub(super) fn keep_marks(cx: &mut Context, functions: &mut Functions) {
    for at in 0..functions.claims.len() {
        let Claim::NeverAll(marks) = functions.claims[at].claim.clone() else {
            continue;
        };
        let name = functions.claims[at].name.clone();
        let mut kept = Vec::new();
        for (number, mark) in marks.into_iter().enumerate() {
            let (var, now) = flag(cx, functions, &format!("{name}_mark{number}"));
            set(functions, var, mark);
            kept.push(now);
        }
        functions.claims[at].claim = Claim::NeverAll(kept);
    }
}

/// Adds one automaton; what must recur on bad runs.
fn add(
    cx: &mut Context,
    functions: &mut Functions,
    name: &str,
    temporal: &Temporal,
) -> Vec<TermId> {
    let automaton = &*temporal.automaton;
    let here = places(cx, functions, name, automaton);
    let chosen = choices(cx, functions, name, automaton);
    let (lost, is_lost) = flag(cx, functions, &format!("{name}_lost"));
    let observed = functions.observed;
    let (mut next, mut fits) = (here.now, Vec::new());
    let mut marked: Vec<Vec<TermId>> = vec![Vec::new(); automaton.n_sets() as usize];
    for state in automaton.states() {
        let edges = automaton.edges(state);
        for (position, edge) in edges.iter().enumerate() {
            // The last edge is taken, too, if there is none of that number.
            let choice = if position + 1 == edges.len() {
                let others = cx.terms.or(&chosen[..position]);
                cx.terms.not(others)
            } else {
                chosen[position]
            };
            let taken = cx.terms.and(&[here.is[state.index()], choice]);
            let reads = label(cx, automaton, edge, &temporal.letters);
            fits.push(cx.terms.and(&[taken, reads]));
            let target = here.literals[edge.target.index()];
            next = cx.terms.ite(taken, target, next);
            for (set, marked) in marked.iter_mut().enumerate() {
                if edge.marks >> set & 1 == 1 {
                    marked.push(taken);
                }
            }
        }
    }
    let terms = &mut cx.terms;
    let next = terms.ite(observed, next, here.now);
    set(functions, here.var, next);
    let fits = terms.or(&fits);
    let misfit = terms.not(fits);
    let misfit = terms.and(&[observed, misfit]);
    let now = terms.or(&[is_lost, misfit]);
    set(functions, lost, now);
    let right = terms.not(is_lost);
    if marked.is_empty() {
        return vec![terms.and(&[observed, right])];
    }
    let recurs = |marked: Vec<TermId>| {
        let some = terms.or(&marked);
        terms.and(&[observed, right, some])
    };
    marked.into_iter().map(recurs).collect()
}

/// Where an automaton is.
struct Here {
    var: VarId,
    now: TermId,
    /// Its states.
    literals: Vec<TermId>,
    /// Whether it is in each of them.
    is: Vec<TermId>,
}

fn places(cx: &mut Context, functions: &mut Functions, name: &str, automaton: &Automaton) -> Here {
    let n_states = automaton.n_states().max(1);
    let names = (0..n_states).map(|state| format!("q{state}"));
    let title = format!("{name}_automaton");
    let sort = cx
        .terms
        .sorts
        .enumeration(&title, names.collect::<Vec<_>>());
    let var = made(cx, &title, sort);
    let now = cx.terms.var(var);
    let literal = |state: usize| cx.terms.lit(Value::Enum(state as u32), sort);
    let literals: Vec<TermId> = (0..n_states).map(literal).collect();
    let is = literals
        .iter()
        .map(|&state| cx.terms.eq(now, state))
        .collect();
    functions.states.push(State {
        var,
        range: None,
        range_from: "",
        first: literals[automaton.initial().index()],
        next: now,
    });
    Here {
        var,
        now,
        literals,
        is,
    }
}

/// Whether the edge of each number is chosen.
fn choices(
    cx: &mut Context,
    functions: &mut Functions,
    name: &str,
    automaton: &Automaton,
) -> Vec<TermId> {
    let counts = automaton.states().map(|state| automaton.edges(state).len());
    let most = counts.max().unwrap_or(0);
    if most < 2 {
        return Vec::new();
    }
    let names = (0..most).map(|number| format!("edge{number}"));
    let title = format!("{name}_edge");
    let sort = cx
        .terms
        .sorts
        .enumeration(&title, names.collect::<Vec<_>>());
    let var = made(cx, &title, sort);
    functions.inputs.push(var);
    functions.choices.insert(var);
    let now = cx.terms.var(var);
    let is = |number: usize| {
        let literal = cx.terms.lit(Value::Enum(number as u32), sort);
        cx.terms.eq(now, literal)
    };
    (0..most).map(is).collect()
}

/// Whether an edge can be taken in a state.
fn label(cx: &mut Context, automaton: &Automaton, edge: &Edge, letters: &[TermId]) -> TermId {
    let mut ways = Vec::new();
    for cube in automaton.cubes(edge.label) {
        let read = letters
            .iter()
            .enumerate()
            .filter(|(at, _)| cube.mask >> at & 1 == 1);
        let literal = |(at, &letter): (usize, &TermId)| {
            if cube.value >> at & 1 == 1 {
                letter
            } else {
                cx.terms.not(letter)
            }
        };
        let literals: Vec<TermId> = read.map(literal).collect();
        ways.push(cx.terms.and(&literals));
    }
    cx.terms.or(&ways)
}

/// A Boolean input.
fn input(cx: &mut Context, functions: &mut Functions, name: &str) -> TermId {
    let sort = cx.terms.sorts.bool();
    let var = made(cx, name, sort);
    functions.inputs.push(var);
    cx.terms.var(var)
}

/// A Boolean variable that is false at first.
fn flag(cx: &mut Context, functions: &mut Functions, name: &str) -> (VarId, TermId) {
    let sort = cx.terms.sorts.bool();
    let var = made(cx, name, sort);
    let now = cx.terms.var(var);
    functions.states.push(State {
        var,
        range: None,
        range_from: "",
        first: cx.terms.false_(),
        next: now,
    });
    (var, now)
}

/// Gives a variable its next value.
fn set(functions: &mut Functions, var: VarId, next: TermId) {
    let state = functions.states.iter_mut().find(|state| state.var == var);
    state.expect("the variable was added").next = next;
}
