//! What texts mean, in every syntax, and what is said about texts that mean nothing.

use lariat_base::{Diagnostic, Id, SourceId, Span};
use lariat_ltl::{
    ApId, AtomSource, Brackets, Formulas, PlainNames, Syntax, parse_formula, print_formula,
};

/// The formula with all brackets, or the diagnostics.
fn read_with(text: &str, syntax: Syntax, atoms: &mut dyn AtomSource) -> String {
    let mut formulas = Formulas::new();
    match parse_formula(&mut formulas, SourceId::from_index(0), text, syntax, atoms) {
        Ok(parsed) => print_formula(&formulas, parsed.formula, Syntax::Spot, Brackets::All)
            .expect("short enough"),
        Err(errors) => {
            let lines: Vec<String> = errors.iter().map(show).collect();
            lines.join("\n")
        }
    }
}

fn show(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map_or(String::new(), |place| {
        format!("@{}..{}", place.span.start, place.span.end)
    });
    let mut parts = vec![format!("{}{place}: {}", diagnostic.id, diagnostic.message)];
    parts.extend(diagnostic.hints.iter().cloned());
    parts.join("; ")
}

/// Reads propositions.
fn check(syntax: Syntax, text: &str, expected: &str) {
    assert_eq!(read_with(text, syntax, &mut PlainNames), expected, "{text}");
}

/// Reads propositions as Spot does.
fn spot(text: &str, expected: &str) {
    check(Syntax::Spot, text, expected);
}

/// Atoms of a little model: an unknown variable is an error.
struct Model;

impl AtomSource for Model {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        span: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        if text.contains("unknown") {
            let error = Diagnostic::error("unknown-variable", format!("no variable `{text}`"));
            return Err(error.at(span).into());
        }
        Ok(formulas.ap_id(text))
    }

    fn speaks(&self, word: &str) -> bool {
        word != "==>"
    }
}

/// Reads expressions of a model.
fn model(text: &str, expected: &str) {
    let actual = read_with(text, Syntax::Spot, &mut Model);
    assert_eq!(actual, expected, "{text}");
}

#[test]
fn every_spelling_is_known() {
    for text in [
        "a&b", "a && b", "a /\\ b", "a AND b", "a and b", "a * b", "a ∧ b",
    ] {
        spot(text, "a & b");
    }
    for text in [
        "a|b", "a || b", "a \\/ b", "a OR b", "a or b", "a + b", "a ∨ b",
    ] {
        spot(text, "a | b");
    }
    for text in [
        "a->b",
        "a --> b",
        "a => b",
        "a ==> b",
        "a IMP b",
        "a implies b",
        "a → b",
    ] {
        spot(text, "a -> b");
    }
    for text in [
        "a<->b",
        "a <=> b",
        "a<-->b",
        "a <==> b",
        "a EQUIV b",
        "a BIIMP b",
        "a iff b",
    ] {
        spot(text, "a <-> b");
    }
    for text in ["a^b", "a xor b", "a XOR b", "a ⊕ b"] {
        spot(text, "a xor b");
    }
    for text in ["!a", "~a", "NOT a", "not a", "¬a"] {
        spot(text, "!a");
    }
    for text in ["Xa", "X a", "()a", "next a", "○a"] {
        spot(text, "X a");
    }
    for text in ["Fa", "<>a", "eventually a", "◇a"] {
        spot(text, "F a");
    }
    for text in ["Ga", "[]a", "always a", "□a"] {
        spot(text, "G a");
    }
    for text in ["a U b", "a until b", "a stronguntil b", "(a)Ub"] {
        spot(text, "a U b");
    }
    for text in ["a W b", "a WU b", "a weakuntil b"] {
        spot(text, "a W b");
    }
    for text in ["a R b", "a V b", "a release b"] {
        spot(text, "a R b");
    }
    for text in ["1", "true", "TRUE", "True", "tt", "⊤"] {
        spot(text, "true");
    }
    for text in ["0", "false", "FALSE", "False", "ff", "⊥"] {
        spot(text, "false");
    }
    spot("a M b", "a M b");
    spot("a ~> b", "G(a -> F b)");
    spot("a since b", "a since b");
    spot("Y a & Z b & O c & H d", "(Y a) & (Z b) & (O c) & H d");
    spot("a T b", "a T b");
}

#[test]
fn names_as_spot_reads_them() {
    spot("GFa", "G F a");
    spot("p0Uq", "p0Uq");
    spot("G1 & X2b", "\"G1\" & \"X2b\"");
    spot("(a)UFXb", "a U F X b");
    spot(
        "\"x > 3\" U \"say \\\"hi\\\"\"",
        "\"x > 3\" U \"say \\\"hi\\\"\"",
    );
    spot("AP(x > (0)) W b", "\"x > (0)\" W b");
    spot("main.state", "main.state");
    check(Syntax::Smv, "G Ga", "G \"Ga\"");
    check(Syntax::Ltsmin, "Fp", "\"Fp\"");
    check(Syntax::Spin, "[]Fp", "G F p");
}

#[test]
fn bounds_are_written_out() {
    spot("X[3]a", "X X X a");
    spot(
        "F[2..4]a",
        "X X (a | X(a | X a))".replace("X X (", "X X(").as_str(),
    );
    spot("G [0,2] a", "a & X(a & X a)");
    spot("F[1:1]a", "X a");
    spot("G[1..]a", "X G a");
    spot("F[..1]a", "a | X a");
    spot("F[2..$]a", "X X F a");
    spot("Y[2]a", "Y Y a");
    spot("O[1..2]a", "Y(a | Y a)");
    spot("H[0..1]a", "a & Z a");
}

#[test]
fn each_table_groups_in_its_own_way() {
    use Syntax::{CpaChecker, Ltsmin, Smv, Spin, SpinNever, Spot, Ultimate};
    let rows: &[(&str, &[(Syntax, &str)])] = &[
        (
            "a | b & c",
            &[
                (Spot, "a | (b & c)"),
                (SpinNever, "c & (a | b)"),
                (CpaChecker, "a | (b & c)"),
            ],
        ),
        (
            "a | b -> c",
            &[
                (Spot, "(a | b) -> c"),
                (CpaChecker, "a | (b -> c)"),
                (Ltsmin, "(a | b) -> c"),
            ],
        ),
        (
            "a U b U c",
            &[
                (Spot, "a U (b U c)"),
                (Spin, "(a U b) U c"),
                (Smv, "(a U b) U c"),
            ],
        ),
        (
            "a -> b U c",
            &[
                (Spot, "a -> (b U c)"),
                (Ltsmin, "(a -> b) U c"),
                (CpaChecker, "a -> (b U c)"),
            ],
        ),
        (
            "a -> b -> c",
            &[
                (Spot, "a -> (b -> c)"),
                (Spin, "(a -> b) -> c"),
                (Ultimate, "a -> (b -> c)"),
                (Ltsmin, "(a -> b) -> c"),
            ],
        ),
        (
            "a -> b <-> c",
            &[
                (Spot, "a -> (b <-> c)"),
                (Smv, "a -> (b <-> c)"),
                (Ultimate, "(a -> b) <-> c"),
            ],
        ),
        (
            "a xor b | c",
            &[(Spot, "c | (a xor b)"), (Smv, "(a xor b) | c")],
        ),
        (
            "!a U b & c",
            &[(Spot, "c & (!a U b)"), (CpaChecker, "c & (!a U b)")],
        ),
    ];
    for (text, readings) in rows {
        for &(syntax, expected) in *readings {
            let mut formulas = Formulas::new();
            let mut read = |text: &str, syntax| {
                let source = SourceId::from_index(0);
                parse_formula(&mut formulas, source, text, syntax, &mut PlainNames)
                    .expect("a formula")
                    .formula
            };
            assert_eq!(read(text, syntax), read(expected, Spot), "{syntax}: {text}");
        }
    }
}

#[test]
fn s_is_never_guessed() {
    check(Syntax::Smv, "a S b", "a since b");
    check(Syntax::CpaChecker, "a S b", "a M b");
    spot(
        "a S b",
        "ambiguous-operator@2..3: `S` means strong release in CPAchecker and since in NuSMV; \
         write `M` for strong release or `since` for the past operator; \
         or choose the syntax: `--syntax cpachecker` or `--syntax smv`; \
         an atom of this name is written in quotes: `\"S\"`",
    );
}

#[test]
fn errors_have_places_and_hints() {
    spot("", "syntax@0..0: the formula is empty");
    spot("  ", "syntax@0..2: the formula is empty");
    spot("G(a", "syntax@1..2: this bracket is never closed");
    spot("a)", "syntax@1..2: nothing is open that this `)` closes");
    spot("a &", "syntax@3..3: the formula ends too early");
    spot("a & | b", "syntax@4..5: expected a formula, found `|`");
    spot(
        "G(a unitl b)",
        "syntax@4..9: expected an operator or the end of the formula, found `unitl`; \
         did you mean `until`?",
    );
    spot(
        "a b",
        "syntax@2..3: expected an operator or the end of the formula, found `b`",
    );
    spot(
        "G(H -> a)",
        "syntax@4..6: expected a formula, found `->`; \
         `H` is an operator; an atom of this name is written in quotes: `\"H\"`",
    );
    spot(
        "G(x > 3)",
        "syntax@6..7: `3` is not a proposition; \
         names begin with a letter; other atoms are written in quotes: `\"x > 3\"`",
    );
    spot(
        "G(x > y)",
        "not-a-name@2..7: this expression is not a proposition; write it in quotes: `\"x > y\"`",
    );
    spot(
        "a; b",
        "syntax@1..2: unexpected character `;`; \
         an atom with other characters is written in quotes: `\"x > 3\"`",
    );
    spot("\"a", "syntax@0..1: this quotation mark is never closed");
    spot("\"\" U a", "syntax@0..2: this atom is empty");
    spot("AP(x", "syntax@2..3: this bracket is never closed");
    spot(
        "F[3]a",
        "bad-bound@0..4: this bound needs two numbers; write `F[0..3]` or `F[3..3]`",
    );
    spot(
        "X[1..3]a",
        "bad-bound@0..7: this bound needs one number; write `X[1]`, or `F` or `G` with two numbers",
    );
    spot(
        "F[4..2]a",
        "bad-bound@1..7: the bound ends at 2, before it begins at 4; \
         bounds are written like `X[3]`, `F[2..4]` or `G[0,3]`",
    );
    spot(
        "X[99999999999]a",
        "bad-bound@1..14: the bound 99999999999 is larger than 1000; \
         bounds are written like `X[3]`, `F[2..4]` or `G[0,3]`",
    );
    spot(
        &format!("{}a", "!(".repeat(20_000)),
        "syntax@39999..40000: this bracket is never closed",
    );
    let deep = format!("{}a{}", "X(".repeat(20_000), ")".repeat(20_000));
    spot(
        &deep,
        "too-deep@0..60001: the formula is nested more than 10000 deep",
    );
    let wide = format!(
        "{}{}",
        "F[0..900](a|".repeat(11),
        "b".to_owned() + &")".repeat(11)
    );
    spot(
        &wide.replace("a|", "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|"),
        "too-large@54..605: the bounds of this formula expand to too many operators",
    );
}

#[test]
fn long_chains_are_linear() {
    let names: Vec<String> = (0..20_000).map(|i| format!("a{i}")).collect();
    let mut formulas = Formulas::new();
    let text = names.join(" & ");
    let source = SourceId::from_index(0);
    let parsed = parse_formula(&mut formulas, source, &text, Syntax::Spot, &mut PlainNames)
        .expect("a long conjunction");
    assert_eq!(formulas.children(parsed.formula).len(), 20_000);
    assert!(formulas.len() < 20_010);
}

#[test]
fn the_largest_parts_without_time_are_atoms() {
    model(
        "G (x + 2 > 5 and main.state = State.Red -> F done)",
        "G(\"x + 2 > 5 and main.state = State.Red\" -> F done)",
    );
    model("(x + 2) > 5", "\"(x + 2) > 5\"");
    model("(p U q) & r", "(p U q) & r");
    model("F not x = 1", "F !\"x = 1\"");
    model("F G(not(x=6))", "F G !\"x=6\"");
    model("GF x", "G F x");
    model("Ga", "\"Ga\"");
    model("G(x < -1)", "G \"x < -1\"");
    model("G(a[i + 1] = b.c[2].d)", "G \"a[i + 1] = b.c[2].d\"");
    model("F loc(IS3)", "F \"loc(IS3)\"");
    model("G ! call(reach_error())", "G !\"call(reach_error())\"");
    model("F end", "F end");
    model("G(loc(A) and x = 1)", "G(\"loc(A)\" & \"x = 1\")");
    model("G(x = 1 and f(x) and y)", "G \"x = 1 and f(x) and y\"");
    model(
        "[](AP(x > 0) ==> <>AP(y == 0))",
        "G(\"x > 0\" -> F \"y == 0\")",
    );
    model("G(x = 1 ==> y = 2)", "G(\"x = 1\" -> \"y = 2\")");
    model("\"x > 0\" & y > 0", "\"x > 0\" & \"y > 0\"");
    model("1 U x = 1", "F \"x = 1\"");
    model("G(x = true)", "G \"x = true\"");
    model("if a then x else y > 3", "\"if a then x else y > 3\"");
    model("G((a ? x : y) > 3)", "G \"(a ? x : y) > 3\"");
    model("x' - 1 >= -y mod 2 U z", "\"x' - 1 >= -y mod 2\" U z");
    model("x bvult y & F z", "\"x bvult y\" & F z");
    // Languages group these differently, so they are split.
    model("a -> b -> c", "a -> \"b -> c\"");
    model("a xor b | c", "\"a xor b\" | c");
    model("! x = 1", "!\"x = 1\"");
}

/// Atoms of a model whose Boolean operators belong to the formula where they can.
struct Split;

impl AtomSource for Split {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        _: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        Ok(formulas.ap_id(text))
    }

    fn understands(&self, word: &str) -> bool {
        self.speaks(word) || word == "imply"
    }
}

#[test]
fn parts_of_larger_expressions_stay_together() {
    let split = |text: &str, expected: &str| {
        assert_eq!(
            read_with(text, Syntax::Spot, &mut Split),
            expected,
            "{text}"
        );
    };
    split("a imply b", "a -> b");
    split(
        "G (if c then a else (b imply a))",
        "G \"if c then a else (b imply a)\"",
    );
    split("F f[b imply c]", "F \"f[b imply c]\"");
    split(
        "if c then a else (b <-> a)",
        "unclear-expression@17..26: it depends on the language how this part of the expression is \
         read; put brackets around it",
    );
}

#[test]
fn what_models_write_is_read_without_quotes() {
    model(
        "G [<bool>default <- true][b]",
        "G \"[<bool>default <- true][b]\"",
    );
    model(
        "F ([<bv[2]>2'b00 <- 1, default <- 0][v] = 1)",
        "F \"[<bv[2]>2'b00 <- 1, default <- 0][v] = 1\"",
    );
    model("G (bvnot v = w)", "G \"bvnot v = w\"");
    model("F x bvadd bvneg v = w", "F \"x bvadd bvneg v = w\"");
    model("G bvnot(v) = w", "G \"bvnot(v) = w\"");
    model("G mod > 1", "G \"mod > 1\"");
    model("F (x mod mod = div) U rem", "(F \"x mod mod = div\") U rem");
    model("[]<>p", "G F p");
}

#[test]
fn errors_in_expressions() {
    model(
        "G(x + F y > 3)",
        "temporal-in-expression@6..13: a temporal operator cannot be part of an expression",
    );
    model(
        "(p U q) > 3",
        "temporal-in-expression@0..7: a temporal operator cannot be part of an expression",
    );
    model(
        "\"x\" = 3",
        "unclear-expression@0..3: a quoted atom cannot be part of an expression",
    );
    model(
        "G 2",
        "not-a-truth-value@2..3: the number `2` is not a truth value; if it belongs to an expression, write that in quotes: `\"x & 8\"`",
    );
    model(
        "G(unknown > 1) & F (unknown2)",
        "unknown-variable@2..13: no variable `unknown > 1`\n\
         unknown-variable@20..28: no variable `unknown2`",
    );
    model(
        "x <> y",
        "syntax@2..4: expected an operator or the end of the formula, found `<>`; \
         `<>` means eventually; not equal is written `!=`",
    );
    let smv = read_with("G(!x = y)", Syntax::Smv, &mut Model);
    assert_eq!(
        smv,
        "unclear-expression@2..4: it depends on the language how this part of the expression is \
         read; put brackets around it"
    );
}

/// The hints of the warning for a text, or nothing.
fn warning(text: &str, atoms: &mut dyn AtomSource) -> String {
    let mut formulas = Formulas::new();
    let source = SourceId::from_index(0);
    let parsed =
        parse_formula(&mut formulas, source, text, Syntax::Spot, atoms).expect("a formula");
    let lines: Vec<String> = parsed.warnings.iter().map(show).collect();
    lines.join("\n")
}

#[test]
fn a_warning_tells_when_tables_disagree() {
    for clear in [
        "a & b & c",
        "G(a -> F b)",
        "(a | b) & c",
        "a <-> b <-> c",
        "F !a U b",
    ] {
        assert_eq!(warning(clear, &mut PlainNames), "", "{clear}");
    }
    assert_eq!(
        warning("a | b -> Fc", &mut PlainNames),
        "grouping-differs@0..11: other tools group the operators of this formula differently; \
         brackets make it clear; read here, with spot's table: `(a | b) -> F c`; \
         with --syntax cpachecker: `a | (b -> F c)`"
    );
    assert_eq!(
        warning("a U b U c", &mut PlainNames),
        "grouping-differs@0..9: other tools group the operators of this formula differently; \
         brackets make it clear; read here, with spot's table: `a U (b U c)`; \
         with --syntax spin, never, smv, ltsmin: `(a U b) U c`"
    );
    assert_eq!(
        warning("F !x = 1", &mut Model),
        "grouping-differs@0..8: other tools group the operators of this formula differently; \
         brackets make it clear; read here, with spot's table: `F !(x = 1)`; with --syntax smv: `F (!x = 1)`"
    );
}

#[test]
fn a_warning_tells_when_a_prefix_operator_ends_early() {
    fn warning(text: &str, atoms: &mut dyn AtomSource) -> String {
        let all = self::warning(text, atoms);
        let mut lines = all.lines().filter(|line| line.starts_with("narrow"));
        lines.next().unwrap_or_default().to_owned()
    }
    for clear in [
        "G(a -> b)",
        "(G a) -> b",
        "a -> G b",
        "a & F b",
        "G F a -> G F b",
        "G F a & G F b -> G F c",
        "G a -> !F b",
        "G a -> (b U c)",
        "F a & (G b | c)",
        "!G a -> b",
    ] {
        assert_eq!(warning(clear, &mut PlainNames), "", "{clear}");
    }
    assert_eq!(
        warning("G open -> off", &mut PlainNames),
        "narrow-operator@0..6: `G` ends before `->`; it is read as `(G open) -> off`; \
         if all of it is meant, write `G (open -> off)`"
    );
    assert_eq!(
        warning("always door_open implies motor == OFF", &mut Model),
        "narrow-operator@0..16: `always` ends before `implies`; \
         it is read as `(always door_open) implies motor == OFF`; \
         if all of it is meant, write `always (door_open implies motor == OFF)`"
    );
    assert_eq!(
        warning("a -> [] b && c", &mut PlainNames),
        "narrow-operator@5..9: `[]` ends before `&&`; it is read as `a -> ([] b) && c`; \
         if all of it is meant, write `a -> [] (b && c)`"
    );
    let long = format!("G a -> {}", ["b"; 100].join(" & "));
    assert_eq!(
        warning(&long, &mut PlainNames),
        "narrow-operator@0..3: `G` ends before `->`; brackets make it clear"
    );
}

#[test]
fn brackets_show_where_a_prefix_operator_ends() {
    spot("G a -> b", "(G a) -> b");
    spot("!G a -> b", "(!G a) -> b");
    spot("a -> G b", "a -> G b");
    spot("G F a -> G F b", "(G F a) -> G F b");
    spot("!a -> X b", "!a -> X b");
}
