//! Writes SMV, the dialect of nuXmv: one module with variables, inputs, `INIT`, `TRANS` and the properties.
//!
//! Division, shifts and the like are written so that they are defined everywhere and mean what they mean in Lariat.

use super::claim::{Claim, Claimed, Formula};
use super::names::Names;
use super::refuse;
use super::relation::{Relation, Variable};
use super::shared::{Spelling, Texts};
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{BvOp, Head, Int, Op, Rat, Sort, SortId, TermId, Terms, Value, VarId};
use lariat_ltl::{Brackets, FormulaId, Formulas, Syntax, print_formula};
use lariat_system::{Context, Fairness, Language};
use std::fmt::Write as _;

/// The text of a relation.
pub(super) fn write(cx: &Context, relation: &Relation) -> Result<String, Diagnostic> {
    let mut names = Names::new(|word| lariat_frontend::is_reserved(Language::Smv, word));
    let mut spelling = Smv::new(cx, relation, &mut names);
    let mut text = format!("-- {}\nMODULE main\n", one_line(&relation.name));
    declarations(cx, relation, &names, &spelling, &mut text)?;
    let texts = Texts::new(&cx.terms, &relation.terms(), &mut names, &mut spelling);
    let texts = texts.map_err(|what| refuse_smv(&what))?;
    let mut atoms = Atoms {
        terms: &cx.terms,
        texts: &texts,
        names: &mut names,
        known: FxHashMap::default(),
        defined: String::new(),
    };
    let mut properties = String::new();
    for claimed in &relation.claims {
        properties += &property(&mut atoms, claimed)?;
    }
    let defines = [&*spelling.definitions, &*atoms.defined].concat();
    if !defines.is_empty() {
        text += "DEFINE\n";
        text += &defines;
    }
    constraints(cx, relation, &names, &texts, &mut text);
    text += &properties;
    Ok(text)
}

fn refuse_smv(what: &str) -> Diagnostic {
    refuse(&format!("has {what}, which SMV cannot express"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn declarations(
    cx: &Context,
    relation: &Relation,
    names: &Names,
    spelling: &Smv<'_>,
    text: &mut String,
) -> Result<(), Diagnostic> {
    let range_of = |variable: &Variable| variable.range.clone();
    let mut section = |title: &str, vars: Vec<(VarId, Option<(Int, Int)>)>| {
        if vars.is_empty() {
            return Ok(());
        }
        let _ = writeln!(text, "{title}");
        for (var, range) in vars {
            let sort = match range {
                Some((low, high)) => format!("{low}..{high}"),
                None => spelling
                    .sort(cx.terms.var_sort(var))
                    .map_err(|what| refuse_smv(&what))?,
            };
            let name = names.of(var);
            let own = cx.terms.name(var);
            let comment = if name == own {
                String::new()
            } else {
                format!(" -- {}", one_line(own))
            };
            let _ = writeln!(text, "  {name} : {sort};{comment}");
        }
        Ok::<_, Diagnostic>(())
    };
    let variables = relation.variables.iter();
    let variables = variables.map(|variable| (variable.var, range_of(variable)));
    section("VAR", variables.collect())?;
    let inputs = |list: &[VarId]| {
        let ranged = |&var: &VarId| (var, relation.input_ranges.get(&var).cloned());
        list.iter().map(ranged).collect()
    };
    section("FROZENVAR", inputs(&relation.start_inputs))?;
    section("IVAR", inputs(&relation.inputs))
}

/// Assignments where every value fits the type, constraints where a value may not.
fn constraints(cx: &Context, relation: &Relation, names: &Names, texts: &Texts, text: &mut String) {
    let mut assignments = String::new();
    let mut others = String::new();
    for variable in &relation.variables {
        let name = names.of(variable.var);
        let kinds = [
            ("init", "INIT", variable.first),
            ("next", "TRANS", variable.next),
        ];
        for (word, section, value) in kinds {
            let Some(value) = value else { continue };
            let value = texts.get(value);
            if variable.range.is_none() {
                let _ = writeln!(assignments, "  {word}({name}) := {value};");
            } else {
                let left = if word == "next" {
                    names.of(variable.next_var)
                } else {
                    name
                };
                let _ = writeln!(others, "{section} {left} = {value};");
            }
        }
    }
    if !assignments.is_empty() {
        *text += "ASSIGN\n";
        *text += &assignments;
    }
    *text += &others;
    for (section, term) in [("INIT", relation.start), ("TRANS", relation.step)] {
        if term != cx.terms.true_() {
            let _ = writeln!(text, "{section} {};", texts.get(term));
        }
    }
    for constraint in &relation.fairness {
        let _ = match *constraint {
            Fairness::Justice(term) => writeln!(text, "JUSTICE {};", texts.get(term)),
            Fairness::Compassion(request, response) => {
                let (request, response) = (texts.get(request), texts.get(response));
                writeln!(text, "COMPASSION ({request}, {response});")
            }
        };
    }
}

/// The atoms of formulas, each under a name.
struct Atoms<'a> {
    terms: &'a Terms,
    texts: &'a Texts,
    names: &'a mut Names,
    known: FxHashMap<TermId, String>,
    defined: String,
}

impl Atoms<'_> {
    fn name(&mut self, term: TermId) -> String {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let text = self.texts.get(term);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = if text.chars().all(is_name) {
            text.to_owned()
        } else {
            let name = self.names.unique("p");
            let _ = writeln!(self.defined, "  {name} := {text};");
            name
        };
        self.known.insert(term, name.clone());
        name
    }

    fn formula(&mut self, formula: &Formula) -> (Formulas, FormulaId) {
        let terms = self.terms;
        formula.renamed(terms, &mut |term| self.name(term))
    }
}

fn property(atoms: &mut Atoms<'_>, claimed: &Claimed) -> Result<String, Diagnostic> {
    let (keyword, body) = match &claimed.claim {
        Claim::Always(term) => ("INVARSPEC", atoms.texts.get(*term).to_owned()),
        Claim::NeverAll(terms) => {
            let mut formulas = Formulas::new();
            let mut all = Vec::new();
            for &term in terms {
                let atom = match atoms.terms.as_lit(term) {
                    Some(value) => formulas.constant(value.as_bool()),
                    None => formulas.ap_named(&atoms.name(term)),
                };
                let again = formulas.finally(atom);
                all.push(formulas.globally(again));
            }
            let all = formulas.and_all(&all);
            let never = formulas.not(all);
            ("LTLSPEC", print(&formulas, never)?)
        }
        Claim::Temporal(temporal) => {
            let formula = temporal.formula.as_ref();
            let formula = formula.expect("a property without a formula is an automaton by now");
            let (formulas, formula) = atoms.formula(formula);
            ("LTLSPEC", print(&formulas, formula)?)
        }
    };
    let name = atoms.names.unique(&claimed.name);
    Ok(format!(
        "-- {}\n{keyword} NAME {name} := {body};\n",
        one_line(&claimed.text)
    ))
}

fn print(formulas: &Formulas, formula: FormulaId) -> Result<String, Diagnostic> {
    print_formula(formulas, formula, Syntax::Smv, Brackets::All)
        .map_err(|why| refuse(&format!("has a property that cannot be written: {why}")))
}

/// How SMV writes terms.
struct Smv<'a> {
    terms: &'a Terms,
    literals: FxHashMap<(SortId, u32), String>,
    /// A variable of each sort of arrays.
    arrays: FxHashMap<SortId, String>,
    definitions: String,
}

impl<'a> Smv<'a> {
    /// Names everything that is declared.
    fn new(cx: &'a Context, relation: &Relation, names: &mut Names) -> Self {
        let mut smv = Self {
            terms: &cx.terms,
            literals: FxHashMap::default(),
            arrays: FxHashMap::default(),
            definitions: String::new(),
        };
        let states = relation.variables.iter().map(|variable| variable.var);
        let inputs = relation
            .start_inputs
            .iter()
            .chain(&relation.inputs)
            .copied();
        let declared: Vec<VarId> = states.chain(inputs).collect();
        for &var in &declared {
            let name = names.declare(cx, var);
            smv.arrays.entry(cx.terms.var_sort(var)).or_insert(name);
        }
        for variable in &relation.variables {
            let next = format!("next({})", names.of(variable.var));
            names.write_as(variable.next_var, next);
        }
        for &var in &declared {
            let sort = cx.terms.var_sort(var);
            let Some(decl) = cx.terms.sorts.as_enum(sort) else {
                continue;
            };
            if smv.literals.contains_key(&(sort, 0)) {
                continue;
            }
            for (position, literal) in decl.literals.iter().enumerate() {
                let name = names.unique(literal);
                smv.literals.insert((sort, position as u32), name);
            }
        }
        smv
    }

    fn sort(&self, sort: SortId) -> Result<String, String> {
        let sorts = &self.terms.sorts;
        Ok(match sorts.get(sort) {
            Sort::Bool => "boolean".into(),
            Sort::Int => "integer".into(),
            Sort::Rat => "real".into(),
            Sort::Bv(width) => format!("unsigned word[{width}]"),
            Sort::Enum(decl) => {
                let literal = |at: usize| self.literals[&(sort, at as u32)].as_str();
                let literals: Vec<&str> = (0..decl.literals.len()).map(literal).collect();
                format!("{{{}}}", literals.join(", "))
            }
            Sort::Array { index, element } => {
                let index_word = match sorts.get(*index) {
                    Sort::Int => "integer".to_owned(),
                    Sort::Bv(width) => format!("word[{width}]"),
                    _ => return Err(format!("an array `{}`", sorts.name(sort))),
                };
                match sorts.get(*element) {
                    Sort::Bool | Sort::Int | Sort::Rat | Sort::Bv(_) => {
                        format!("array {index_word} of {}", self.sort(*element)?)
                    }
                    _ => return Err(format!("an array `{}`", sorts.name(sort))),
                }
            }
        })
    }

    fn literal(&self, sort: SortId, value: &Value) -> Result<String, String> {
        Ok(match (value, self.terms.sorts.get(sort)) {
            (Value::Bool(value), _) => if *value { "TRUE" } else { "FALSE" }.into(),
            (Value::Int(int), _) if int.is_negative() => format!("({int})"),
            (Value::Int(int), _) => int.to_string(),
            (Value::Rat(rat), _) => rational(rat),
            (Value::Bv(bits), Sort::Bv(width)) => format!("0ud{width}_{bits}"),
            (Value::Enum(position), _) => match self.literals.get(&(sort, *position)) {
                Some(name) => name.clone(),
                None => {
                    return Err(format!(
                        "a constant of the type `{}`",
                        self.terms.sorts.name(sort)
                    ));
                }
            },
            (Value::Array(map), Sort::Array { index, element }) => {
                let default = self.literal(*element, map.default_value())?;
                let mut text = self.constant_array(sort, &default)?;
                for (at, value) in map.entries() {
                    let (at, value) = (self.literal(*index, at)?, self.literal(*element, value)?);
                    text = format!("WRITE({text}, {at}, {value})");
                }
                text
            }
            (value, _) => panic!("{value:?} is a value of its sort"),
        })
    }

    fn constant_array(&self, sort: SortId, value: &str) -> Result<String, String> {
        match self.arrays.get(&sort) {
            Some(array) => Ok(format!("CONSTARRAY(typeof({array}), {value})")),
            None => Err("an array that no variable is like".into()),
        }
    }

    /// Whether the divisor is a constant above zero.
    fn is_positive(&self, division: TermId) -> bool {
        let divisor = self.terms.args(division)[1];
        let divisor = self.terms.as_lit(divisor).and_then(Value::as_int);
        divisor.is_some_and(|divisor| !divisor.is_negative() && !divisor.is_zero())
    }

    fn operation(&self, op: Op, term: TermId, args: &[&str]) -> Result<String, String> {
        let infix = |word: &str| format!("({})", args.join(&format!(" {word} ")));
        Ok(match (op, args) {
            (Op::Not, [a]) => format!("(!{a})"),
            (Op::And, []) => "TRUE".into(),
            (Op::Or, []) => "FALSE".into(),
            (Op::And, _) => infix("&"),
            (Op::Or, _) => infix("|"),
            (Op::Eq, _) => infix("="),
            (Op::Ite, [c, a, b]) => format!("({c} ? {a} : {b})"),
            (Op::Add, _) => infix("+"),
            (Op::Mul, _) => infix("*"),
            (Op::Le, _) => infix("<="),
            (Op::Lt, _) => infix("<"),
            // SMV rounds towards zero, and its remainder has the sign of the dividend.
            (Op::Div | Op::Mod | Op::Rem, [a, b]) if self.is_positive(term) => {
                let rest = format!("(({a} mod {b} + {b}) mod {b})");
                match op {
                    Op::Div => format!("(({a} - {rest}) / {b})"),
                    _ => rest,
                }
            }
            (Op::Div, [a, b]) => format!(
                "({b} = 0 ? 0 : ({a} mod {b} >= 0 ? {a} / {b} : ({b} > 0 ? {a} / {b} - 1 : {a} / {b} + 1)))"
            ),
            (Op::Mod, [a, b]) => {
                format!(
                    "({b} = 0 ? {a} : ({a} mod {b} >= 0 ? {a} mod {b} : {a} mod {b} + abs({b})))"
                )
            }
            (Op::Rem, [a, b]) => format!(
                "({b} = 0 ? {a} : ({b} > 0 ? 1 : -1) * ({a} mod {b} >= 0 ? {a} mod {b} : {a} mod {b} + abs({b})))"
            ),
            (Op::RatDiv, [a, b]) => format!("({b} = f'0/1 ? f'0/1 : {a} / {b})"),
            (Op::ToRat, [a]) => format!("({a} + f'0/1)"),
            (Op::ToInt, [a]) => format!("floor({a})"),
            (Op::Select, [array, at]) => format!("READ({array}, {at})"),
            (Op::Store, [array, at, value]) => format!("WRITE({array}, {at}, {value})"),
            (Op::ConstArray(sort), [value]) => self.constant_array(sort, value)?,
            (Op::Bv(op), args) => {
                let first = self.terms.args(term)[0];
                let width = self.terms.sorts.bv_width(self.terms.sort(first));
                bits(op, args, width)?
            }
            (op, args) => panic!("{op:?} does not take {} arguments", args.len()),
        })
    }
}

impl Spelling for Smv<'_> {
    fn spell(&mut self, names: &Names, term: TermId, args: &[&str]) -> Result<String, String> {
        match self.terms.head(term) {
            Head::Var(var) => Ok(names.of(var).to_owned()),
            Head::Lit(value) => self.literal(self.terms.sort(term), value),
            Head::Op(op, _) => self.operation(op, term, args),
        }
    }

    fn define(&mut self, name: &str, _: TermId, text: &str) {
        let _ = writeln!(self.definitions, "  {name} := {text};");
    }
}

fn rational(rat: &Rat) -> String {
    let (above, below) = (rat.numerator(), rat.denominator());
    if above.is_negative() {
        format!("(-f'{}/{below})", above.abs())
    } else {
        format!("f'{above}/{below}")
    }
}

/// An operator on words; its first argument has this width.
fn bits(op: BvOp, args: &[&str], width: Option<u32>) -> Result<String, String> {
    let infix = |word: &str| format!("({})", args.join(&format!(" {word} ")));
    if let BvOp::OfInt(width) = op {
        return Err(format!("the conversion of a number to {width} bits"));
    }
    let width = width.expect("operators on bit-vectors take bit-vectors");
    let zero = format!("0ud{width}_0");
    // Distances are at most the width: a longer one shifts everything out, too.
    let all = format!("0ud{width}_{width}");
    Ok(match (op, args) {
        (BvOp::Neg, [a]) => format!("(-{a})"),
        (BvOp::Not, [a]) => format!("(!{a})"),
        (BvOp::Add, _) => infix("+"),
        (BvOp::Sub, _) => infix("-"),
        (BvOp::Mul, _) => infix("*"),
        (BvOp::And, _) => infix("&"),
        (BvOp::Or, _) => infix("|"),
        (BvOp::Xor, _) => infix("xor"),
        (BvOp::Concat, _) => infix("::"),
        (BvOp::Ult, _) => infix("<"),
        (BvOp::Ule, _) => infix("<="),
        (BvOp::Slt, [a, b]) => format!("(signed({a}) < signed({b}))"),
        (BvOp::Sle, [a, b]) => format!("(signed({a}) <= signed({b}))"),
        (BvOp::Udiv, [a, b]) => format!("({b} = {zero} ? !{zero} : {a} / {b})"),
        (BvOp::Urem, [a, b]) => format!("({b} = {zero} ? {a} : {a} mod {b})"),
        (BvOp::Sdiv, [a, b]) => format!(
            "({b} = {zero} ? (signed({a}) < signed({zero}) ? 0ud{width}_1 : !{zero}) : unsigned(signed({a}) / signed({b})))"
        ),
        (BvOp::Srem, [a, b]) => {
            format!("({b} = {zero} ? {a} : unsigned(signed({a}) mod signed({b})))")
        }
        (BvOp::Smod, [a, b]) => {
            let rest = format!("unsigned(signed({a}) mod signed({b}))");
            let top = width - 1;
            format!(
                "({b} = {zero} ? {a} : ({rest} = {zero} | ({a})[{top}:{top}] = ({b})[{top}:{top}] ? {rest} : {rest} + {b}))"
            )
        }
        (BvOp::Shl, [a, b]) => format!("({b} <= {all} ? {a} << {b} : {zero})"),
        (BvOp::Lshr, [a, b]) => format!("({b} <= {all} ? {a} >> {b} : {zero})"),
        (BvOp::Ashr, [a, b]) => {
            format!("unsigned(signed({a}) >> ({b} <= {all} ? {b} : {all}))")
        }
        (BvOp::Rotl, [a, b]) => {
            let by = format!("({b} mod {all})");
            format!("(({a} << {by}) | ({a} >> ({all} - {by})))")
        }
        (BvOp::Rotr, [a, b]) => {
            let by = format!("({b} mod {all})");
            format!("(({a} >> {by}) | ({a} << ({all} - {by})))")
        }
        (BvOp::Extract { high, low }, [a]) => format!("({a})[{high}:{low}]"),
        (BvOp::Zext(to), [a]) => format!("extend({a}, {})", to - width),
        (BvOp::Sext(to), [a]) => format!("unsigned(extend(signed({a}), {}))", to - width),
        (BvOp::ToNat, [a]) => format!("toint({a})"),
        (op, args) => panic!("{op:?} does not take {} arguments", args.len()),
    })
}
