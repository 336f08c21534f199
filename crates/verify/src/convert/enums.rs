//! Enumerations for other languages: as bit-vectors or integers where there are none (a value is its number), under names that
//! the language allows where there are.

use super::functions::Functions;
use super::machine::made;
use super::names::Names;
use super::refuse;
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{ArrayValue, BvOp, Head, Int, Op, Sort, SortId, TermId, Value, VarId};
use lariat_system::Context;
use std::sync::Arc;

/// What becomes of enumerations.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bits,
    Numbers,
    /// Others with the same number of values.
    Renamed(FxHashMap<SortId, SortId>),
}

/// Makes something else of all enumerations.
pub(super) fn lower(
    cx: &mut Context,
    functions: &mut Functions,
    kind: Kind,
) -> Result<(), Diagnostic> {
    let mut lowering = Lowering {
        kind,
        variables: FxHashMap::default(),
        terms: FxHashMap::default(),
    };
    for at in 0..functions.states.len() {
        functions.states[at].var = lowering.variable(cx, functions.states[at].var)?;
    }
    if let Some(place) = functions.place {
        functions.place = Some(lowering.variable(cx, place)?);
    }
    let mut bounds = [Vec::new(), Vec::new()];
    let lists = [&mut functions.start_inputs, &mut functions.inputs];
    for (list, bounds) in lists.into_iter().zip(&mut bounds) {
        for input in list {
            let old = std::mem::replace(input, lowering.variable(cx, *input)?);
            let is_choice = functions.choices.contains(&old);
            bounds.extend(bound(cx, old, *input, is_choice));
            if let Some(range) = numbers(cx, old, *input) {
                functions.input_ranges.insert(*input, range);
            }
            if is_choice {
                functions.choices.insert(*input);
            }
        }
    }
    functions.map_terms(&mut |term| lowering.term(cx, term))?;
    let [start, step] = bounds;
    functions.start = cx.terms.and(&[&[functions.start], &start[..]].concat());
    functions.step = cx.terms.and(&[&[functions.step], &step[..]].concat());
    Ok(())
}

/// Names for all enumerations of a machine.
pub(super) fn renamed(cx: &mut Context, functions: &Functions, names: &mut Names) -> Kind {
    let states = functions.states.iter().map(|state| state.var);
    let inputs = functions
        .inputs
        .iter()
        .chain(&functions.start_inputs)
        .copied();
    let mut map = FxHashMap::default();
    for var in states.chain(inputs).collect::<Vec<_>>() {
        let mut sorts = vec![cx.terms.var_sort(var)];
        while let Some(sort) = sorts.pop() {
            if let Some((index, element)) = cx.terms.sorts.as_array(sort) {
                sorts.extend([index, element]);
            }
            let Some(decl) = cx.terms.sorts.as_enum(sort).cloned() else {
                continue;
            };
            map.entry(sort).or_insert_with(|| {
                let mut own = names.others();
                let literals: Vec<String> = decl
                    .literals
                    .iter()
                    .map(|literal| own.unique(literal))
                    .collect();
                let name = names.unique(&format!("T_{}", decl.name));
                cx.terms.sorts.enumeration(&name, literals)
            });
        }
    }
    Kind::Renamed(map)
}

/// The numbers of the values of an input that became an integer.
fn numbers(cx: &Context, old: VarId, new: VarId) -> Option<(Int, Int)> {
    let n_values = cx
        .terms
        .sorts
        .as_enum(cx.terms.var_sort(old))?
        .literals
        .len();
    let last = i64::try_from(n_values - 1).expect("an enumeration has few values");
    let is_number = cx.terms.var_sort(new) == cx.terms.sorts.int();
    is_number.then(|| (Int::ZERO, Int::from(last)))
}

/// That an input is the number of a value, as bits. Any bits do for a choice.
fn bound(cx: &mut Context, old: VarId, new: VarId, is_choice: bool) -> Option<TermId> {
    let n_values = cx
        .terms
        .sorts
        .as_enum(cx.terms.var_sort(old))?
        .literals
        .len();
    let last = Int::from(i64::try_from(n_values - 1).expect("an enumeration has few values"));
    let sort = cx.terms.var_sort(new);
    let input = cx.terms.var(new);
    let width = cx.terms.sorts.bv_width(sort)?;
    if is_choice || n_values == 1 << width {
        return None;
    }
    let last = cx.terms.lit(Value::Bv(last), sort);
    let op = Op::Bv(BvOp::Ule);
    Some(
        cx.terms
            .build(op, &[input, last])
            .expect("both are of one sort"),
    )
}

struct Lowering {
    kind: Kind,
    variables: FxHashMap<VarId, VarId>,
    terms: FxHashMap<TermId, TermId>,
}

impl Lowering {
    fn variable(&mut self, cx: &mut Context, var: VarId) -> Result<VarId, Diagnostic> {
        if let Some(&known) = self.variables.get(&var) {
            return Ok(known);
        }
        let decl = cx.terms.decl(var).clone();
        let sort = sort(cx, &self.kind, decl.sort)
            .map_err(|what| refuse(&format!("has the variable `{}`, {what}", decl.name)))?;
        let new = if sort == decl.sort {
            var
        } else {
            made(cx, &decl.name, sort)
        };
        self.variables.insert(var, new);
        Ok(new)
    }

    fn term(&mut self, cx: &mut Context, root: TermId) -> Result<TermId, Diagnostic> {
        for term in cx.terms.subterms(&[root]) {
            if self.terms.contains_key(&term) {
                continue;
            }
            let wanted = |what: &str| refuse(&format!("has {what}"));
            let new_sort =
                sort(cx, &self.kind, cx.terms.sort(term)).map_err(|what| wanted(&what))?;
            let new = match cx.terms.head(term) {
                Head::Var(var) => {
                    let var = self.variable(cx, var)?;
                    cx.terms.var(var)
                }
                Head::Lit(value) => {
                    let value = number(&self.kind, value);
                    cx.terms.lit(value, new_sort)
                }
                Head::Op(op, args) => {
                    let args: Vec<TermId> = args.iter().map(|arg| self.terms[arg]).collect();
                    let op = match op {
                        Op::ConstArray(_) => Op::ConstArray(new_sort),
                        op => op,
                    };
                    cx.terms
                        .build(op, &args)
                        .expect("sorts change everywhere alike")
                }
            };
            self.terms.insert(term, new);
        }
        Ok(self.terms[&root])
    }
}

/// The number of a value of an enumeration; any other value.
fn number(kind: &Kind, value: &Value) -> Value {
    match (kind, value) {
        (Kind::Renamed(_), value) => value.clone(),
        (Kind::Bits, Value::Enum(position)) => Value::Bv(Int::from(i64::from(*position))),
        (Kind::Numbers, Value::Enum(position)) => Value::Int(Int::from(i64::from(*position))),
        (_, Value::Array(map)) => {
            let new = ArrayValue::constant(number(kind, map.default_value()));
            let sorts = lariat_expr::Sorts::default();
            let entries = map
                .entries()
                .map(|(at, value)| (number(kind, at), number(kind, value)));
            // The first-index form is kept: numbers are in the order of the values.
            Value::Array(Arc::new(new.with_all(&sorts, sorts.int(), entries)))
        }
        (_, value) => value.clone(),
    }
}

/// The sort without enumerations, or what it cannot be.
fn sort(cx: &mut Context, kind: &Kind, of: SortId) -> Result<SortId, String> {
    match (cx.terms.sorts.get(of).clone(), kind) {
        (Sort::Enum(_), Kind::Renamed(map)) => Ok(map[&of]),
        (Sort::Enum(_), Kind::Numbers) => Ok(cx.terms.sorts.int()),
        (Sort::Enum(decl), Kind::Bits) => {
            let last = decl.literals.len() - 1;
            let width = (usize::BITS - last.leading_zeros()).max(1);
            Ok(cx.terms.sorts.bv(width))
        }
        (Sort::Array { index, element }, kind) => {
            let (new_index, new_element) = (sort(cx, kind, index)?, sort(cx, kind, element)?);
            for (old, new) in [(index, new_index), (element, new_element)] {
                let is_whole = cx.terms.sorts.cardinality(old) == cx.terms.sorts.cardinality(new);
                if old != new && !is_whole {
                    let name = cx.terms.sorts.name(of);
                    return Err(format!("an array `{name}` of an enumeration"));
                }
            }
            Ok(cx.terms.sorts.array(new_index, new_element))
        }
        _ => Ok(of),
    }
}
