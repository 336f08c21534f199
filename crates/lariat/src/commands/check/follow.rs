//! Follows a run of the checked model through the whole program.
//!
//! A step of the check may stand for many steps of the program, and the check may have left variables out or
//! forgotten values that nobody reads. The search goes over the ways from one state of the check to the next,
//! with the inputs that the check knows, and takes the one that agrees best.

use super::inputs::{Site, Taken, position, variable};
use crate::session::Session;
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::{Env as _, Int, Value, VarId};
use lariat_system::{
    Context, Decision, Done, Edge, Executor, Recorded, State, Step, Stmt, System,
    TransitionSystem as _, Valuation, deeds,
};
use lariat_verify::{Model, Property};

/// How many steps are tried to follow a run.
const MAX_TRIES: usize = 200_000;
/// How many steps are tried to follow one step of the check better than it can be already.
const MAX_BLOCK: usize = 5_000;
/// How many ways an edge is tried in.
const MAX_WAYS: usize = 64;

/// What the search for the steps of the program knows.
pub struct Guide<'a> {
    cx: &'a Context,
    system: &'a System,
    sites: &'a [Site],
    inserted: &'a [(usize, usize)],
    /// Which variable of the checked model each one of the program is, and whether the property reads it.
    same: Vec<Option<(usize, bool)>>,
    /// The variables of the inputs: the site, and the place among the variables.
    input_vars: FxHashMap<VarId, (usize, usize)>,
    /// Where steps of the check start and end.
    kept: Vec<bool>,
    executor: Executor,
    tries: usize,
}

/// What is known of the inputs in a step of the check.
#[derive(Default)]
struct Known {
    /// The values that came in, by the place.
    at: FxHashMap<(usize, usize), Vec<Value>>,
    /// All values that were chosen: the check may have moved one to another place.
    any: Vec<Value>,
}

/// The most values that are tried for an input whose value is not known.
const MAX_VALUES: usize = 8;

/// A way to take an edge.
struct Way {
    edge: Edge,
    values: Vec<Value>,
    /// How many of the known values have been used, by place.
    used: FxHashMap<(usize, usize), usize>,
}

struct Frame {
    state: State,
    ways: std::vec::IntoIter<Way>,
}

impl<'a> Guide<'a> {
    pub fn new(
        session: &Session,
        checked: &Model,
        asked: &Property,
        cx: &'a Context,
        system: &'a System,
        sites: &'a [Site],
        inserted: &'a [(usize, usize)],
    ) -> Option<Self> {
        let theirs = &checked.systems[0];
        let names = |system: &System| -> Vec<Box<str>> {
            let locations = system.locations.iter_ids();
            locations
                .map(|(_, location)| location.name.clone())
                .collect()
        };
        if names(theirs) != names(system) {
            return None;
        }
        let read = session.cx.terms.free_vars(&asked.terms());
        let places: FxHashMap<&str, usize> = theirs
            .variables
            .iter()
            .enumerate()
            .map(|(i, variable)| (session.cx.terms.name(variable.var), i))
            .collect();
        let same = system.variables.iter().map(|variable| {
            let &at = places.get(cx.terms.name(variable.var))?;
            Some((at, read.contains(&theirs.variables[at].var)))
        });
        let own = |site: usize| {
            let at = position(cx, system, &variable(site))?;
            Some((system.variables[at].var, (site, at)))
        };
        let kept = theirs.edges.rows().map(|(_, edges)| !edges.is_empty());
        Some(Self {
            cx,
            system,
            sites,
            inserted,
            same: same.collect(),
            input_vars: (0..sites.len()).filter_map(own).collect(),
            kept: kept.collect(),
            executor: Executor::new(),
            tries: 0,
        })
    }

    /// The state before the first step.
    pub fn start(&mut self, first: &Step) -> Option<State> {
        let edge = *self.system.initial.first()?;
        let wanted = |var: VarId| {
            let at = self.system.variables.iter().position(|v| v.var == var)?;
            let (theirs, _) = self.same[at]?;
            first.state.values.get(theirs).cloned()
        };
        let values = havocs(self.cx, edge)
            .into_iter()
            .map(|(var, _)| wanted(var).unwrap_or_else(|| self.some(var)));
        let values = values.collect();
        self.take(None, edge, values)
    }

    fn some(&self, var: VarId) -> Value {
        Value::some(&self.cx.terms.sorts, self.cx.terms.var_sort(var))
    }

    /// The state after an edge.
    fn take(&mut self, before: Option<&State>, edge: Edge, values: Vec<Value>) -> Option<State> {
        let mut env = Valuation::new();
        if let Some(before) = before {
            before.load(&self.system.variables, &mut env);
        }
        let decisions: Vec<Decision> = values.into_iter().map(Decision::Value).collect();
        let mut recorded = Recorded::new(&decisions);
        let done = self
            .executor
            .run(self.cx, edge.stmt, &mut env, &mut recorded);
        done.ok()?;
        let variables = self.system.variables.iter();
        let values: Option<Vec<Value>> = variables.map(|v| env.value(v.var).cloned()).collect();
        Some(State {
            loc: edge.target,
            values: values?,
        })
    }

    /// Takes the steps that a step of the check stands for; gives the state after them.
    pub fn follow(
        &mut self,
        session: &Session,
        checked: &mut Model,
        before: &State,
        step: &Step,
        state: State,
        out: &mut Vec<Taken>,
    ) -> Option<State> {
        let edge = checked.edges(before.loc)[step.edge];
        if edge.stutter {
            return Some(state);
        }
        let chosen = step.decisions.iter().filter_map(|decision| match decision {
            Decision::Value(value) => Some(value.clone()),
            Decision::Branch(_) => None,
        });
        let mut known = Known {
            any: chosen.take(MAX_VALUES).collect(),
            ..Known::default()
        };
        let cx = &session.cx;
        for deed in deeds(cx, checked.variables(), Some(before), edge, &step.decisions) {
            let is_input = matches!(
                cx.stmts.get(deed.stmt),
                Stmt::Havoc(_) | Stmt::Declare(_, None)
            );
            if let (Done::Set(_, value), true, Some(span)) =
                (deed.what, is_input, cx.stmts.span(deed.stmt))
            {
                let range = span.range();
                let place = (range.start, range.end);
                known.at.entry(place).or_default().push(value);
            }
        }
        // What the check forgot before this step may still stand in our state.
        let stale = self.differences(&state, before).unwrap_or_default();
        let start = state.clone();
        let mut path = vec![Frame {
            ways: self.ways(&state, &known, &FxHashMap::default(), &step.state),
            state,
        }];
        let mut taken: Vec<(Edge, State)> = Vec::new();
        let mut best: Option<(usize, Vec<(Edge, State)>)> = None;
        let mut tries = 0;
        while let Some(top) = path.last_mut() {
            let Some(way) = top.ways.next() else {
                path.pop();
                taken.pop();
                continue;
            };
            tries += 1;
            self.tries += 1;
            if self.tries > MAX_TRIES || tries > MAX_BLOCK && best.is_some() {
                break;
            }
            let here = top.state.clone();
            let Some(next) = self.take(Some(&here), way.edge, way.values) else {
                continue;
            };
            taken.push((way.edge, next.clone()));
            if next.loc == step.state.loc
                && let Some(differences) = self.differences(&next, &step.state)
            {
                let n_new = differences.iter().filter(|at| !stale.contains(at)).count();
                if best.as_ref().is_none_or(|(least, _)| n_new < *least) {
                    best = Some((n_new, taken.clone()));
                }
                if n_new == 0 {
                    break;
                }
            }
            if self.kept[next.loc.index()] || way.edge.stutter {
                taken.pop();
                continue;
            }
            let ways = self.ways(&next, &known, &way.used, &step.state);
            path.push(Frame { state: next, ways });
        }
        let (_, taken) = best?;
        let mut state = start;
        for (edge, after) in taken {
            out.push(self.taken(edge, state, after.clone()));
            state = after;
        }
        Some(state)
    }

    /// The variables in which a state differs from that of the check, which may have forgotten them; nothing
    /// if it is another state.
    fn differences(&self, own: &State, theirs: &State) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let sorts = &self.cx.terms.sorts;
        for (i, same) in self.same.iter().enumerate() {
            let Some((at, is_read)) = *same else { continue };
            if own.values[i] == theirs.values[at] {
                continue;
            }
            let sort = self.cx.terms.var_sort(self.system.variables[i].var);
            // What nobody reads any more was set to some value.
            if is_read || theirs.values[at] != Value::some(sorts, sort) {
                return None;
            }
            found.push(i);
        }
        Some(found)
    }

    /// The ways to go on, those that fit best first.
    fn ways(
        &self,
        state: &State,
        known: &Known,
        used: &FxHashMap<(usize, usize), usize>,
        goal: &State,
    ) -> std::vec::IntoIter<Way> {
        let mut ways = Vec::new();
        for &edge in self.system.edges.row(state.loc) {
            let mut partial = vec![(Vec::new(), used.clone())];
            for (var, place) in havocs(self.cx, edge) {
                let place = place.map(|(start, end)| {
                    (original(self.inserted, start), original(self.inserted, end))
                });
                let mut more = Vec::new();
                for (values, used) in partial {
                    let mut used = used;
                    let candidates = self.candidates(var, place, known, &mut used, goal);
                    for candidate in candidates {
                        let mut values: Vec<Value> = values.clone();
                        values.push(candidate);
                        more.push((values, used.clone()));
                    }
                }
                more.truncate(MAX_WAYS);
                partial = more;
            }
            ways.extend(
                partial
                    .into_iter()
                    .map(|(values, used)| Way { edge, values, used }),
            );
        }
        ways.into_iter()
    }

    /// The values that an input may have had.
    fn candidates(
        &self,
        var: VarId,
        place: Option<(usize, usize)>,
        known: &Known,
        used: &mut FxHashMap<(usize, usize), usize>,
        goal: &State,
    ) -> Vec<Value> {
        // A value that is stored right away belongs to the whole assignment.
        let around = place.and_then(|(start, end)| {
            let holds = |known: &&(usize, usize)| known.0 <= start && end <= known.1;
            known
                .at
                .keys()
                .filter(holds)
                .min_by_key(|known| (known.1 - known.0, known.0))
        });
        if let Some(&place) = around
            && let Some(values) = known.at.get(&place)
        {
            let n = used.entry(place).or_insert(0);
            if let Some(value) = values.get(*n) {
                *n += 1;
                return vec![value.clone()];
            }
        }
        let at = self.system.variables.iter().position(|v| v.var == var);
        let wanted = at.and_then(|at| self.same[at]).map(|(at, _)| at);
        let sorts = &self.cx.terms.sorts;
        let zero = self.some(var);
        let one = match &zero {
            Value::Int(_) => Some(Value::Int(Int::ONE)),
            Value::Bv(_) => Some(Value::Bv(Int::ONE)),
            _ => None,
        };
        let mut candidates: Vec<Value> = wanted
            .map(|at| goal.values[at].clone())
            .into_iter()
            .collect();
        candidates.extend([Some(zero), one].into_iter().flatten());
        for value in &known.any {
            if !candidates.contains(value) {
                candidates.push(value.clone());
            }
        }
        candidates.dedup();
        candidates.retain(|value| value.has_sort(sorts, self.cx.terms.var_sort(var)));
        candidates
    }

    fn taken(&self, edge: Edge, before: State, after: State) -> Taken {
        let mut written = Vec::new();
        self.cx.stmts.walk(edge.stmt, |_, stmt| {
            if let Stmt::Assign(var, _) | Stmt::Havoc(var) = stmt
                && let Some(&input) = self.input_vars.get(&var)
            {
                written.push(input);
            }
        });
        // In the order of the text, which is the order of evaluation where there is one.
        written.sort_by_key(|&(site, _): &(usize, usize)| self.sites[site].call.start);
        written.dedup();
        let value = |(site, at): (usize, usize)| (site, after.values[at].clone());
        let inputs = written.into_iter().map(value).collect();
        let text = self.cx.stmts.span(edge.stmt).map(|span| {
            let range = span.range();
            original(self.inserted, range.start)..original(self.inserted, range.end)
        });
        Taken {
            text,
            before,
            after,
            inputs,
        }
    }

    /// A few steps more, whatever they are, so that the state after the last one can be looked at.
    pub fn go_on(&mut self, mut state: State, out: &mut Vec<Taken>) {
        const MORE: usize = 40;
        for _ in 0..MORE {
            let ways = self.ways(
                &state,
                &Known::default(),
                &FxHashMap::default(),
                &state.clone(),
            );
            let next = ways.into_iter().find_map(|way| {
                let after = self.take(Some(&state), way.edge, way.values)?;
                (!way.edge.stutter).then_some((way.edge, after))
            });
            let Some((edge, after)) = next else { return };
            out.push(self.taken(edge, state, after.clone()));
            state = after;
        }
    }
}

/// What an edge leaves to the environment, in order, with its place.
fn havocs(cx: &Context, edge: Edge) -> Vec<(VarId, Option<(usize, usize)>)> {
    let mut found = Vec::new();
    cx.stmts.walk(edge.stmt, |id, stmt| {
        if let Stmt::Havoc(var) | Stmt::Declare(var, None) = stmt {
            let place = cx.stmts.span(id).map(|span| {
                let range = span.range();
                (range.start, range.end)
            });
            found.push((var, place));
        }
    });
    found
}

/// Where a place of the instrumented text is in the original.
fn original(inserted: &[(usize, usize)], at: usize) -> usize {
    let mut shift = 0;
    for &(place, len) in inserted {
        if at < place + shift {
            break;
        }
        if at < place + shift + len {
            return place;
        }
        shift += len;
    }
    at - shift
}
