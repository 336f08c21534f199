//! Labels as short guards: common literals first (`r & (!p | q)`), then a disjunction of conjunctions,
//! or the negation of one conjunction where that is shorter (`!(a & b)` for `!a | !b`).

use crate::automaton::{Automaton, Cube, LabelId};
use crate::formula::Formulas;
use crate::parse::{Syntax, is_plain_name};

/// How guards are spelt.
#[derive(Clone, Copy)]
pub(crate) struct GuardStyle {
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
}

/// As in our formulas.
pub(crate) const FORMULA: GuardStyle = GuardStyle {
    and: " & ",
    or: " | ",
    yes: "true",
    no: "false",
};

/// As in Promela.
pub(crate) const PROMELA: GuardStyle = GuardStyle {
    and: " && ",
    or: " || ",
    yes: "true",
    no: "false",
};

/// The text of a label.
pub(crate) fn guard(
    automaton: &Automaton,
    formulas: &Formulas,
    label: LabelId,
    style: GuardStyle,
) -> String {
    let aps = automaton.aps().iter();
    let names: Vec<&str> = aps.map(|&ap| formulas.ap_name(ap)).collect();
    guard_over(&names, automaton.cubes(label), style)
}

/// The text of a label of an automaton whose atoms have these names.
pub fn label_text(automaton: &Automaton, names: &[&str], label: LabelId) -> String {
    guard_over(names, automaton.cubes(label), FORMULA)
}

fn guard_over(names: &[&str], cubes: &[Cube], style: GuardStyle) -> String {
    let common = common_part(cubes);
    if common == Cube::TRUE || cubes.len() < 2 {
        return disjunction(names, cubes, style);
    }
    let rest: Vec<Cube> = cubes.iter().map(|cube| without(*cube, common)).collect();
    let rest_text = disjunction(names, &rest, style);
    let common = conjunction(names, common, style);
    if rest_text.starts_with("!(") && single_exclusion(&rest).is_some() {
        format!("{common}{}{rest_text}", style.and)
    } else {
        format!("{common}{}({rest_text})", style.and)
    }
}

/// The literals that all cubes share.
fn common_part(cubes: &[Cube]) -> Cube {
    let mut cubes = cubes.iter();
    let first = cubes.next().copied().unwrap_or(Cube::TRUE);
    cubes.fold(first, |common, cube| {
        let mask = common.mask & cube.mask & !(common.value ^ cube.value);
        Cube {
            mask,
            value: common.value & mask,
        }
    })
}

fn without(cube: Cube, common: Cube) -> Cube {
    Cube {
        mask: cube.mask & !common.mask,
        value: cube.value & !common.mask,
    }
}

fn disjunction(names: &[&str], cubes: &[Cube], style: GuardStyle) -> String {
    if let Some(excluded) = single_exclusion(cubes) {
        let inner = conjunction(names, excluded, style);
        return format!("!({inner})");
    }
    match cubes {
        [] => style.no.to_owned(),
        [cube] => conjunction(names, *cube, style),
        _ => {
            let parts: Vec<String> = cubes
                .iter()
                .map(|cube| {
                    let text = conjunction(names, *cube, style);
                    if cube.mask.count_ones() > 1 {
                        format!("({text})")
                    } else {
                        text
                    }
                })
                .collect();
            parts.join(style.or)
        }
    }
}

/// The conjunction whose negation the label is, if the label is a disjunction of single literals of
/// different atoms.
fn single_exclusion(cubes: &[Cube]) -> Option<Cube> {
    let mut excluded = Cube::TRUE;
    for cube in cubes {
        if cube.mask.count_ones() != 1 || excluded.mask & cube.mask != 0 {
            return None;
        }
        excluded.mask |= cube.mask;
        excluded.value |= cube.mask & !cube.value;
    }
    // With a positive literal the negated form is no shorter.
    let all_negative = excluded.value == excluded.mask;
    (cubes.len() > 1 && all_negative).then_some(excluded)
}

fn conjunction(names: &[&str], cube: Cube, style: GuardStyle) -> String {
    let literals: Vec<String> = names
        .iter()
        .enumerate()
        .filter(|(i, _)| cube.mask >> i & 1 == 1)
        .map(|(i, name)| {
            let sign = if cube.value >> i & 1 == 1 { "" } else { "!" };
            if is_plain_name(name, Syntax::Smv) {
                format!("{sign}{name}")
            } else {
                format!("{sign}({name})")
            }
        })
        .collect();
    if literals.is_empty() {
        style.yes.to_owned()
    } else {
        literals.join(style.and)
    }
}
