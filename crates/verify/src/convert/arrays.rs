//! Arrays as one variable for each element, for languages without arrays, or without arrays of a kind.
//!
//! An array over integers has infinitely many elements. Only those count that some index of the model can mean, as long as whole
//! arrays are not compared; so where the indices are bounded, so is the array.

use super::bounds::{Bounds, interval};
use super::functions::{Functions, State};
use super::interval::Interval;
use super::machine::made;
use super::refuse;
use lariat_base::{Diagnostic, FxHashMap, FxHashSet};
use lariat_expr::{Head, Int, Op, SortId, TermId, Value, VarId};
use lariat_system::Context;

/// Larger arrays are not taken apart.
const LARGEST: u32 = 256;

/// Takes apart the arrays of those sorts of which `is_wanted`. New variables get the bounds of their arrays.
pub(super) fn expand(
    cx: &mut Context,
    functions: &mut Functions,
    bounds: &mut Bounds,
    is_wanted: &dyn Fn(&Context, SortId) -> bool,
) -> Result<(), Diagnostic> {
    let terms = functions.terms();
    let mut indices: FxHashMap<SortId, Vec<TermId>> = FxHashMap::default();
    let mut sorts: FxHashSet<SortId> = FxHashSet::default();
    for term in cx.terms.subterms(&terms) {
        let sort = cx.terms.sort(term);
        if cx.terms.sorts.as_array(sort).is_some() && is_wanted(cx, sort) {
            sorts.insert(sort);
        }
    }
    if sorts.is_empty() {
        return Ok(());
    }
    let mut order: Vec<SortId> = sorts.iter().copied().collect();
    order.sort_unstable();
    for sort in order {
        let at = elements(cx, &terms, bounds, sort)?;
        indices.insert(sort, at);
    }
    let mut expansion = Expansion {
        indices,
        variables: FxHashMap::default(),
        arrays: FxHashMap::default(),
        scalars: FxHashMap::default(),
    };
    let mut states = Vec::new();
    for state in std::mem::take(&mut functions.states) {
        if !expansion
            .indices
            .contains_key(&cx.terms.var_sort(state.var))
        {
            states.push(State {
                first: expansion.scalar(cx, state.first)?,
                next: expansion.scalar(cx, state.next)?,
                ..state
            });
            continue;
        }
        let vars = expansion.variable(cx, state.var, bounds);
        let first = expansion.array(cx, state.first)?;
        let next = expansion.array(cx, state.next)?;
        for ((var, first), next) in vars.into_iter().zip(first).zip(next) {
            let range = None;
            states.push(State {
                var,
                range,
                range_from: "",
                first,
                next,
            });
        }
    }
    functions.states = states;
    for list in [&mut functions.inputs, &mut functions.start_inputs] {
        let mut new = Vec::new();
        for &input in &*list {
            if expansion.indices.contains_key(&cx.terms.var_sort(input)) {
                new.extend(expansion.variable(cx, input, bounds));
            } else {
                new.push(input);
            }
        }
        *list = new;
    }
    let states = std::mem::take(&mut functions.states);
    functions.map_terms(&mut |term| expansion.scalar(cx, term))?;
    functions.states = states;
    Ok(())
}

/// The indices of an array, as terms.
fn elements(
    cx: &mut Context,
    roots: &[TermId],
    bounds: &Bounds,
    array: SortId,
) -> Result<Vec<TermId>, Diagnostic> {
    let (index, element) = cx.terms.sorts.as_array(array).expect("this is an array");
    let name = cx.terms.sorts.name(array);
    if cx.terms.sorts.as_array(element).is_some() {
        return Err(refuse(&format!("has an array of arrays, `{name}`")));
    }
    let too_large = || {
        let message = format!("has an array `{name}` with more than {LARGEST} elements");
        refuse(&message)
    };
    if index != cx.terms.sorts.int() {
        let n_values = cx
            .terms
            .sorts
            .cardinality(index)
            .filter(|&n| n <= u64::from(LARGEST));
        let n_values = n_values.ok_or_else(too_large)?;
        let mut all = Vec::new();
        for n in 0..n_values {
            let value = Value::nth(&cx.terms.sorts, index, n).ok_or_else(too_large)?;
            all.push(cx.terms.lit(value, index));
        }
        return Ok(all);
    }
    let mut all: Option<Interval> = None;
    for term in cx.terms.subterms(roots) {
        let at = match cx.terms.head(term) {
            Head::Op(Op::Select | Op::Store, args) if cx.terms.sort(args[0]) == array => args[1],
            Head::Op(Op::Eq, args) if cx.terms.sort(args[0]) == array => {
                return Err(refuse(&format!("compares arrays `{name}` with each other")));
            }
            _ => continue,
        };
        let own = interval(cx, bounds, at);
        all = Some(all.map_or(own.clone(), |all| all.join(&own)));
    }
    let Some(all) = all else {
        return Ok(Vec::new());
    };
    let (low, high) = all.ends().ok_or_else(|| {
        refuse(&format!(
            "has an array `{name}` whose indices have no bounds"
        ))
    })?;
    if &high - &low >= Int::from(i64::from(LARGEST)) {
        return Err(too_large());
    }
    let mut list = Vec::new();
    let mut at = low;
    while at <= high {
        list.push(cx.terms.int(at.clone()));
        at = &at + &Int::ONE;
    }
    Ok(list)
}

struct Expansion {
    /// The indices of each sort of arrays that is taken apart.
    indices: FxHashMap<SortId, Vec<TermId>>,
    variables: FxHashMap<VarId, Vec<VarId>>,
    arrays: FxHashMap<TermId, Vec<TermId>>,
    scalars: FxHashMap<TermId, TermId>,
}

impl Expansion {
    fn variable(&mut self, cx: &mut Context, var: VarId, bounds: &mut Bounds) -> Vec<VarId> {
        let vars = self.elements_of(cx, var);
        if let Some(interval) = bounds.get(&var).cloned() {
            for &element in &vars {
                bounds.insert(element, interval.clone());
            }
        }
        vars
    }

    fn elements_of(&mut self, cx: &mut Context, var: VarId) -> Vec<VarId> {
        if let Some(known) = self.variables.get(&var) {
            return known.clone();
        }
        let decl = cx.terms.decl(var).clone();
        let (_, element) = cx
            .terms
            .sorts
            .as_array(decl.sort)
            .expect("this is an array");
        let mut vars = Vec::new();
        for at in self.indices[&decl.sort].clone() {
            let value = cx.terms.as_lit(at).expect("an index is a value").clone();
            let at = value.display(&cx.terms.sorts, cx.terms.sort(at));
            vars.push(made(cx, &format!("{}[{at}]", decl.name), element));
        }
        self.variables.insert(var, vars.clone());
        vars
    }

    /// The elements of an array.
    fn array(&mut self, cx: &mut Context, term: TermId) -> Result<Vec<TermId>, Diagnostic> {
        self.visit(cx, term)?;
        Ok(self.arrays[&term].clone())
    }

    /// A term that is no array.
    fn scalar(&mut self, cx: &mut Context, term: TermId) -> Result<TermId, Diagnostic> {
        self.visit(cx, term)?;
        Ok(self.scalars[&term])
    }

    fn visit(&mut self, cx: &mut Context, root: TermId) -> Result<(), Diagnostic> {
        for term in cx.terms.subterms(&[root]) {
            if self.arrays.contains_key(&term) || self.scalars.contains_key(&term) {
                continue;
            }
            if self.indices.contains_key(&cx.terms.sort(term)) {
                let new = self.new_array(cx, term);
                self.arrays.insert(term, new);
            } else {
                let new = self.new_scalar(cx, term)?;
                self.scalars.insert(term, new);
            }
        }
        Ok(())
    }

    fn new_array(&mut self, cx: &mut Context, term: TermId) -> Vec<TermId> {
        let sort = cx.terms.sort(term);
        let indices = self.indices[&sort].clone();
        match cx.terms.head(term) {
            Head::Var(var) => {
                let vars = self.elements_of(cx, var);
                vars.into_iter().map(|var| cx.terms.var(var)).collect()
            }
            Head::Lit(value) => {
                let Value::Array(map) = value.clone() else {
                    panic!("an array has a value that is a map");
                };
                let (_, element) = cx.terms.sorts.as_array(sort).expect("this is an array");
                let mut at = |index: TermId| {
                    let index = cx.terms.as_lit(index).expect("an index is a value");
                    let value = map.get(index).clone();
                    cx.terms.lit(value, element)
                };
                indices.into_iter().map(&mut at).collect()
            }
            Head::Op(Op::ConstArray(_), &[value]) => {
                let value = self.scalars[&value];
                indices.iter().map(|_| value).collect()
            }
            Head::Op(Op::Store, &[array, at, value]) => {
                let (at, value) = (self.scalars[&at], self.scalars[&value]);
                let old = self.arrays[&array].clone();
                let mut with = |(index, old): (TermId, TermId)| {
                    let here = cx.terms.eq(at, index);
                    cx.terms.ite(here, value, old)
                };
                indices.into_iter().zip(old).map(&mut with).collect()
            }
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let condition = self.scalars[&condition];
                let (then, otherwise) = (&self.arrays[&then], &self.arrays[&otherwise]);
                let pairs = then.iter().zip(otherwise);
                pairs
                    .map(|(&then, &otherwise)| cx.terms.ite(condition, then, otherwise))
                    .collect()
            }
            Head::Op(op, _) => panic!("{op:?} makes no array"),
        }
    }

    fn new_scalar(&mut self, cx: &mut Context, term: TermId) -> Result<TermId, Diagnostic> {
        let Head::Op(op, args) = cx.terms.head(term) else {
            return Ok(term);
        };
        let args = args.to_vec();
        let of_first = cx.terms.sort(args[0]);
        if !self.indices.contains_key(&of_first) {
            let args: Vec<TermId> = args.iter().map(|arg| self.scalars[arg]).collect();
            return Ok(cx.terms.build(op, &args).expect("sorts stay the same"));
        }
        match (op, &args[..]) {
            (Op::Select, &[array, at]) => {
                let at = self.scalars[&at];
                let elements = self.arrays[&array].clone();
                let indices = self.indices[&of_first].clone();
                let mut pairs = indices.into_iter().zip(elements).rev();
                let Some((_, last)) = pairs.next() else {
                    return Err(refuse("reads an array that has no element"));
                };
                Ok(pairs.fold(last, |otherwise, (index, value)| {
                    let here = cx.terms.eq(at, index);
                    cx.terms.ite(here, value, otherwise)
                }))
            }
            (Op::Eq, [left, right]) => {
                let pairs = self.arrays[left].iter().zip(&self.arrays[right]);
                let same: Vec<TermId> = pairs.map(|(&a, &b)| cx.terms.eq(a, b)).collect();
                Ok(cx.terms.and(&same))
            }
            (op, _) => panic!("{op:?} takes no array"),
        }
    }
}
