//! How operators group, and which spellings the languages share.

mod common;

use lariat_base::{SourceFile, SourceMap, Span};
use lariat_expr::{Dialect, print_term};
use lariat_frontend::{ExprAtom, Scope, parse, parse_atom, parse_expression};
use lariat_system::{Context, Language, System};

const XSTS: &str = "type T : { A, B } type U : { B, C }
    var p : boolean var q : boolean var r : boolean
    var x : integer var y : integer var t : T var u : U var div : integer var G : boolean
    var a : [integer] -> integer
    trans {} init {} env {}";

const CFA: &str = "main process m { var v : rat var w : bv[4] init loc L0 loc END L0 -> END }";

struct Session {
    cx: Context,
    map: SourceMap,
    systems: Vec<System>,
}

impl Session {
    fn new(models: &[(Language, &str)]) -> Self {
        let mut session = Self {
            cx: Context::new(),
            map: SourceMap::new(),
            systems: Vec::new(),
        };
        for (language, text) in models {
            let id = session
                .map
                .add(format!("m{}", session.systems.len()), *text);
            let file = session.map.file(id).clone();
            let parsed = parse(&mut session.cx, *language, id, &file);
            session.systems.push(parsed.expect("a sound model").system);
        }
        session
    }

    fn atom(&mut self, text: &str) -> String {
        let systems: Vec<&System> = self.systems.iter().collect();
        let scope = Scope::new(&mut self.cx, &systems);
        let id = self.map.add("atom", text);
        let span = Span::new(id, 0, text.len());
        match parse_atom(&mut self.cx, &scope, span, text) {
            Ok(ExprAtom::Term(term)) => print_term(&self.cx.terms, term, &Dialect::GCL),
            Ok(ExprAtom::Location(system, location)) => format!("system {system} at {location:?}"),
            Ok(ExprAtom::Named(system, name)) => format!("system {system} at {name:?}"),
            Err(findings) => common::show(self.map.file(id), &findings),
        }
    }
}

fn xsts(text: &str) -> String {
    Session::new(&[(Language::Xsts, XSTS)]).atom(text)
}

fn both(text: &str) -> String {
    Session::new(&[(Language::Xsts, XSTS), (Language::Cfa, CFA)]).atom(text)
}

/// Both texts mean the same term.
fn same(left: &str, right: &str) {
    let mut session = Session::new(&[(Language::Xsts, XSTS)]);
    let (a, b) = (session.atom(left), session.atom(right));
    assert_eq!(a, b, "{left} against {right}");
    assert!(!a.contains('\n'), "{left}: {a}");
}

#[test]
fn precedence_from_loose_to_tight() {
    same("p iff q => r", "p iff (q => r)");
    same("p => q || r", "p => (q || r)");
    same("p || q xor r", "p || (q xor r)");
    same("p xor q && r", "p xor (q && r)");
    same("p && !q == r", "p && (!(q == r))");
    same("!p == q && r", "(!(p == q)) && r");
    same("x < y == p", "(x < y) == p");
    same("x + 1 < y * 2", "(x + 1) < (y * 2)");
    same("x + y * -2 < 0", "x + (y * (-2)) < 0");
    same("-a[0] < 0", "-(a[0]) < 0");
    same("if p then q else r && q", "if p then q else (r && q)");
    same(
        "if p then q else if q then r else p",
        "if p then q else (if q then r else p)",
    );
}

#[test]
fn associativity() {
    same("p => q => r", "p => (q => r)");
    same("p iff q iff r", "p iff (q iff r)");
    same("x - y - 1 = 0", "(x - y) - 1 = 0");
    same("x / y * 2 = 0", "(x / y) * 2 = 0");
    same("x % 3 / y = 0", "(x % 3) / y = 0");
    same("- - x = 0", "x = 0");
    same("!!!p", "!p");
}

#[test]
fn all_spellings_mean_the_same() {
    for and in ["and", "&&", "&", "/\\"] {
        assert_eq!(xsts(&format!("p {and} q")), "p and q");
    }
    for or in ["or", "||", "|", "\\/"] {
        assert_eq!(xsts(&format!("p {or} q")), "p or q");
    }
    for not in ["not ", "!", "~"] {
        assert_eq!(xsts(&format!("{not}p")), "not p");
    }
    for imply in ["->", "=>", "imply", "implies"] {
        assert_eq!(xsts(&format!("p {imply} q")), "q or not p");
    }
    for iff in ["<->", "<=>", "iff", "equal", "=", "=="] {
        assert_eq!(xsts(&format!("p {iff} q")), "p = q");
    }
    for xor in ["xor", "^", "!=", "/="] {
        assert_eq!(xsts(&format!("p {xor} q")), "p != q");
    }
    assert_eq!(
        xsts("x / 2 = y and x % 2 = y mod 2 and x rem 2 >= y div 2"),
        "y = x div 2 and x mod 2 = y mod 2 and y div 2 <= x rem 2"
    );
}

#[test]
fn names_of_models_win_over_words_of_other_languages() {
    assert_eq!(xsts("div div div = 1"), "div div div = 1");
    assert_eq!(xsts("G and p"), "p and G");
}

#[test]
fn literals_and_comparisons() {
    assert_eq!(xsts("t = A"), "t = T.A");
    assert_eq!(xsts("B = t and u = B"), "t = T.B and u = U.B");
    assert_eq!(xsts("t = T.B"), "t = T.B");
    assert_eq!(xsts("x<-1"), "x < -1");
    assert_eq!(xsts("a[x <- -1][0] = 1"), "a[x <- -1][0] = 1");
    assert_eq!(
        xsts("B = B"),
        "ambiguous-literal 1:1 `B` is a literal of `T` and of `U` (write `T.B`)\n\
         ambiguous-literal 1:5 `B` is a literal of `T` and of `U` (write `T.B`)\n"
    );
    assert_eq!(
        xsts("t = u"),
        "type-mismatch 1:1 a `T` cannot be compared with a `U`\n"
    );
    assert_eq!(
        xsts("t = C"),
        "type-mismatch 1:1 a `T` cannot be compared with a `U`\n"
    );
    assert_eq!(
        xsts("x < y < 3"),
        "unexpected-token 1:7 `<` cannot follow another comparison (use brackets, or join two comparisons with \"and\")\n"
    );
}

#[test]
fn rationals_depend_on_the_model() {
    let mut cfa = Session::new(&[(Language::Cfa, CFA)]);
    assert_eq!(cfa.atom("v = 1%2"), "v = 1/2");
    assert_eq!(
        cfa.atom("v < 3 and w bvult 4'd3"),
        "v < 3/1 and (w bvult 4'd3)"
    );
    assert_eq!(both("x = 7 % 4"), "x = 3");
}

#[test]
fn locations_are_atoms() {
    assert_eq!(both("loc(END)"), "system 1 at L1");
    assert_eq!(both("loc ( m.L0 )"), "system 1 at L0");
    assert_eq!(
        both("loc(EMD)"),
        "unknown-location 1:5 unknown location `EMD` (did you mean `END`?)\n"
    );
    let other = CFA.replace("process m", "process n");
    let models = [(Language::Cfa, CFA), (Language::Cfa, other.as_str())];
    let mut twice = Session::new(&models);
    assert_eq!(
        twice.atom("loc(END)"),
        "ambiguous-location 1:5 several models have a location `END` (write `loc(m.END)`)\n"
    );
    assert_eq!(twice.atom("loc(n.END)"), "system 1 at L1");
}

#[test]
fn an_expression_is_of_the_sort_that_is_asked_for() {
    let mut session = Session::new(&[(Language::Xsts, XSTS)]);
    let scope = Scope::new(&mut session.cx, &[&session.systems[0]]);
    let mut read = |text: &str| {
        let int = session.cx.terms.sorts.int();
        let id = session.map.add("e", text);
        let span = Span::new(id, 0, text.len());
        match parse_expression(&mut session.cx, &scope, span, text, Some(int)) {
            Ok(term) => print_term(&session.cx.terms, term, &Dialect::GCL),
            Err(findings) => {
                let file: &SourceFile = session.map.file(id);
                common::show(file, &findings)
            }
        }
    };
    assert_eq!(read("x + 1"), "x + 1");
    assert_eq!(
        read("x = 1"),
        "type-mismatch 1:1 expected an integer, found a Boolean\n"
    );
    assert_eq!(
        read("x 1"),
        "unexpected-token 1:3 expected the end of the expression, found `1`\n"
    );
    assert_eq!(
        read(""),
        "unexpected-token 1:1 expected an expression, found the end of the text\n"
    );
}
