//! Copies of something, and guesses where there are some.
//!
//! A guess costs nothing if it is wrong: it is checked. So names are good enough to start from: `x1`, `x2`, `x3` are taken for
//! the same variable of three copies, as are `p1.x`, `p2.x`, and the literals `p1`, `p2` of an enumeration may name these copies. The
//! literals of an enumeration may be copies by themselves, and so may the models of a composition with their own variables.

use lariat_base::Id as _;
use lariat_expr::{Int, SortId};
use lariat_system::{Context, TransitionSystem, Variable};
use std::collections::BTreeMap;

/// Copies of something, each with the same parts in the same order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Family {
    copies: Vec<Part>,
    pub group: Group,
}

/// How copies can be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    /// In every way.
    All,
    /// Each takes the place of the one after it.
    Rotations,
}

/// What belongs to one copy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Part {
    /// What it is called.
    pub name: String,
    /// Its variables, by their positions.
    pub variables: Vec<usize>,
    /// The literals that name it.
    pub literals: Vec<(SortId, u32)>,
    /// The model of a composition that runs it.
    pub leaf: Option<usize>,
}

/// More copies of one thing are not looked at.
const MAX_COPIES: usize = 64;
/// With more enumerations that may name copies, either all of them do or none.
const MAX_NAMING: usize = 3;

impl Family {
    fn new(copies: Vec<Part>) -> Self {
        Self {
            copies,
            group: Group::All,
        }
    }

    /// How many copies there are.
    pub fn len(&self) -> usize {
        self.copies.len()
    }

    /// The copies.
    pub fn copies(&self) -> &[Part] {
        &self.copies
    }

    /// The enumerations whose literals name copies.
    pub fn sorts(&self) -> impl Iterator<Item = SortId> {
        self.copies[0].literals.iter().map(|&(sort, _)| sort)
    }

    /// The permutation that exchanges two copies. A permutation says for each copy whose place it takes.
    pub fn transposition(&self, first: usize, second: usize) -> Vec<usize> {
        let mut permutation: Vec<usize> = (0..self.len()).collect();
        permutation.swap(first, second);
        permutation
    }

    /// The permutation by which each copy takes the place of the next.
    pub fn rotation(&self) -> Vec<usize> {
        (0..self.len())
            .map(|copy| (copy + 1) % self.len())
            .collect()
    }

    /// The same copies under another group.
    pub fn all(&self, group: Group) -> Self {
        Self {
            copies: self.copies.clone(),
            group,
        }
    }

    /// Some of the copies.
    pub fn some(&self, copies: &[usize]) -> Self {
        Self::new(
            copies
                .iter()
                .map(|&copy| self.copies[copy].clone())
                .collect(),
        )
    }

    /// Whether something belongs to a copy of both.
    pub fn meets(&self, other: &Self) -> bool {
        let variables = |family: &Self| -> Vec<usize> {
            let copies = family.copies.iter();
            copies.flat_map(|copy| copy.variables.clone()).collect()
        };
        let has_leaves = |family: &Self| family.copies[0].leaf.is_some();
        let theirs = variables(other);
        variables(self)
            .iter()
            .any(|variable| theirs.contains(variable))
            || self
                .sorts()
                .any(|sort| other.sorts().any(|theirs| theirs == sort))
            || (has_leaves(self) && has_leaves(other))
    }

    /// What is exchanged, for people.
    pub fn describe(&self) -> String {
        let names: Vec<&str> = self.copies.iter().map(|copy| &*copy.name).collect();
        let how = match self.group {
            Group::All => "in any order",
            Group::Rotations => "rotated",
        };
        format!("{} {how}", names.join(", "))
    }
}

/// What may be families of a system, the most promising first.
pub(super) fn guesses(cx: &Context, system: &mut dyn TransitionSystem) -> Vec<Family> {
    let mut guesses = Vec::new();
    guesses.extend(models(cx, system));
    let variables = system.variables();
    let sorts = enumerations(cx, variables);
    let mut numbered = numbered(cx, variables, &sorts);
    guesses.append(&mut numbered);
    for &sort in &sorts {
        let literals = cx.terms.sorts.as_enum(sort).map(|decl| &decl.literals[..]);
        let copies = literals.unwrap_or_default().iter().zip(0..);
        let copies = copies.map(|(name, literal)| Part {
            name: name.to_string(),
            literals: vec![(sort, literal)],
            ..Part::default()
        });
        guesses.push(Family::new(copies.collect()));
    }
    guesses.retain(|guess| (2..=MAX_COPIES).contains(&guess.len()));
    guesses
}

/// The enumerations that variables hold, inside of arrays, too.
fn enumerations(cx: &Context, variables: &[Variable]) -> Vec<SortId> {
    let mut found = Vec::new();
    let mut todo: Vec<SortId> = variables.iter().map(|v| cx.terms.var_sort(v.var)).collect();
    while let Some(sort) = todo.pop() {
        if let Some((index, element)) = cx.terms.sorts.as_array(sort) {
            todo.extend([index, element]);
        } else if cx.terms.sorts.as_enum(sort).is_some() {
            found.push(sort);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Models of a composition with as many variables of their own, of the same sorts.
fn models(cx: &Context, system: &mut dyn TransitionSystem) -> Vec<Family> {
    let n_models = system.n_leaves();
    let variables = system.variables().to_vec();
    let mut owners: Vec<Vec<usize>> = vec![Vec::new(); variables.len()];
    for model in 0..n_models {
        let Some(component) = system.component(model) else {
            return Vec::new();
        };
        for own in component.variables() {
            let at = variables.iter().position(|known| known.var == own.var);
            owners[at.expect("a composition has the variables of its parts")].push(model);
        }
    }
    let mut alike: BTreeMap<Vec<Kind>, Vec<Part>> = BTreeMap::new();
    for model in 0..n_models {
        let own = (0..variables.len()).filter(|&at| owners[at] == [model]);
        let own: Vec<usize> = own.collect();
        let kinds = own.iter().map(|&at| kind(cx, &variables[at])).collect();
        alike.entry(kinds).or_default().push(Part {
            name: format!("model {}", model + 1),
            variables: own,
            leaf: Some(model),
            ..Part::default()
        });
    }
    alike.into_values().map(Family::new).collect()
}

/// What two variables must have in common to be exchanged.
type Kind = (usize, Option<(Int, Int)>);

fn kind(cx: &Context, variable: &Variable) -> Kind {
    let sort = cx.terms.var_sort(variable.var);
    (sort.index(), variable.range.clone())
}

/// Which number of a name tells the copy.
#[derive(Clone, Copy)]
enum Which {
    First,
    Last,
}

/// A name without the number that tells the copy: what is before and after it.
type Stem<'n> = (&'n str, &'n str);

/// What a variable is for its copy.
type Role<'n> = (Stem<'n>, Kind);

/// A number with the variables that have it in their names.
type Numbered = (u64, Vec<usize>);

/// The number in a name, and the rest.
fn number(name: &str, which: Which) -> Option<(u64, Stem<'_>)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (start, end) = match which {
        Which::First => {
            let start = name.find(is_digit)?;
            let len = name[start..].find(|c| !is_digit(c));
            (start, len.map_or(name.len(), |len| start + len))
        }
        Which::Last => {
            let end = name.rfind(is_digit)? + 1;
            let before = name[..end].rfind(|c| !is_digit(c));
            let start = before.map_or(0, |at| {
                at + name[at..].chars().next().map_or(1, char::len_utf8)
            });
            (start, end)
        }
    };
    let number = name[start..end].parse().ok()?;
    Some((number, (&name[..start], &name[end..])))
}

/// Numbers that occur in the names of the same variables.
fn numbered(cx: &Context, variables: &[Variable], sorts: &[SortId]) -> Vec<Family> {
    let mut guesses: Vec<Family> = Vec::new();
    for which in [Which::First, Which::Last] {
        // For each number the variables that have it, by what they are called otherwise.
        let mut by_number: BTreeMap<u64, BTreeMap<Role<'_>, usize>> = BTreeMap::new();
        for (at, variable) in variables.iter().enumerate() {
            if let Some((number, stem)) = number(cx.terms.name(variable.var), which) {
                let own = by_number.entry(number).or_default();
                own.insert((stem, kind(cx, variable)), at);
            }
        }
        let mut alike: BTreeMap<Vec<Role<'_>>, Vec<Numbered>> = BTreeMap::new();
        for (number, own) in by_number {
            let (stems, own) = own.into_iter().unzip();
            alike.entry(stems).or_default().push((number, own));
        }
        for (stems, numbers) in alike {
            let names: Vec<u64> = numbers.iter().map(|(number, _)| *number).collect();
            let naming = naming(cx, sorts, &names, which);
            for chosen in subsets(&naming) {
                let copies = numbers
                    .iter()
                    .enumerate()
                    .map(|(copy, (number, own))| Part {
                        name: called(&stems, *number),
                        variables: own.clone(),
                        literals: chosen.iter().map(|(sort, of)| (*sort, of[copy])).collect(),
                        leaf: None,
                    });
                let guess = Family::new(copies.collect());
                if !guesses.contains(&guess) {
                    guesses.push(guess);
                }
            }
        }
    }
    guesses
}

/// What the copy with a number is called: as its first variable, whose name may go on after the number.
fn called(stems: &[Role<'_>], number: u64) -> String {
    match stems {
        [] => number.to_string(),
        [((before, after), _)] => format!("{before}{number}{after}"),
        [((before, _), _), ..] => format!("{before}{number}"),
    }
}

/// The enumerations with a literal for each of these numbers.
fn naming(
    cx: &Context,
    sorts: &[SortId],
    numbers: &[u64],
    which: Which,
) -> Vec<(SortId, Vec<u32>)> {
    let mut naming = Vec::new();
    for &sort in sorts {
        let Some(decl) = cx.terms.sorts.as_enum(sort) else {
            continue;
        };
        let mut by_stem: BTreeMap<Stem<'_>, BTreeMap<u64, u32>> = BTreeMap::new();
        for (literal, position) in decl.literals.iter().zip(0..) {
            if let Some((number, stem)) = number(literal, which) {
                by_stem.entry(stem).or_default().insert(number, position);
            }
        }
        let complete = by_stem.values().find_map(|known| {
            let literal = |number| known.get(number).copied();
            numbers.iter().map(literal).collect::<Option<Vec<u32>>>()
        });
        naming.extend(complete.map(|literals| (sort, literals)));
    }
    naming
}

/// All ways to choose some of a few things, many before few; of many, all or none.
fn subsets<T: Clone>(of: &[T]) -> Vec<Vec<T>> {
    if of.len() > MAX_NAMING {
        return vec![of.to_vec(), Vec::new()];
    }
    let chosen = |bits: usize| {
        let some = of.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        some.map(|(_, one)| one.clone()).collect()
    };
    (0..1_usize << of.len()).rev().map(chosen).collect()
}
