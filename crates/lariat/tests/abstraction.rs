//! Value abstractions, must steps and `lariat abstract`, as a user calls them.

mod folder;

use folder::{call, example, scratch};

/// Each function decides its example.
#[test]
fn functions_decide_what_values_do_not() {
    let rows = [
        ("value_sign.gcl", "positive", "x:sign"),
        ("value_parity.gcl", "pairs", "x:parity"),
        ("value_mod.gcl", "comes_back", "n:mod 7"),
        ("value_bits.gcl", "full", "v:bits"),
        ("value_bit.gcl", "flagged", "t:bit 3"),
        ("value_is.gcl", "can_divide", "d:is 0"),
        ("value_at.gcl", "no_overflow", "level:at 990 1001 9000 9006"),
        ("value_any.gcl", "served", "cars:any"),
        (
            "value_partition.gcl",
            "off_when_hot",
            "t:{cold: t < 400, warm: t < 950, hot: true}",
        ),
    ];
    for (model, property, functions) in rows {
        let model = example(&format!("gcl/{model}"));
        let (code, said) = call(&[
            "check",
            &model,
            "--property",
            property,
            "--abstract",
            functions,
            "--timeout",
            "120s",
        ]);
        assert_eq!(code, Some(0), "{model} {functions}: {said}");
    }
}

/// Remainders of numbers without bounds are for classes, and `auto` tries them.
#[test]
fn auto_tells_remainders() {
    let model = example("gcl/value_mod.gcl");
    let property = ["--property", "comes_back", "--timeout", "120s"];
    let (code, said) = call(&[&["check", &model, "--explain"], &property[..]].concat());
    assert_eq!(code, Some(0), "{said}");
    let decided = "tried abstraction refinement, value for";
    let mut lines = said.lines().filter(|line| line.contains("it decided"));
    assert!(lines.all(|line| line.starts_with(decided)), "{said}");
}

#[test]
fn what_is_wrong_with_functions_is_shown_at_its_place() {
    let model = example("gcl/value_at.gcl");
    let rows = [
        ("level:sgn", "did you mean `sign`?"),
        ("levl:sign", "did you mean `level`?"),
        ("level:mod 0", "a positive number is wanted"),
        ("level:mod", "a positive number is wanted"),
        ("level:at", "numbers are wanted"),
        ("level:bit x", "the number of a bit is wanted"),
        ("level:is flow", "a constant is wanted"),
        (
            "level:{low: level < 10, low: true}",
            "there are two classes `low`",
        ),
        ("level:{low: level <", "the partition has no end"),
        ("level:{level < 10}", "a class with its condition is wanted"),
        ("level:{low: depth < 10}", "depth"),
        ("level", "here a function of a variable is wanted"),
    ];
    for (functions, expected) in rows {
        let (code, said) = call(&["check", &model, "--abstract", functions]);
        assert_eq!(code, Some(2), "{functions}: {said}");
        assert!(said.contains(expected), "{functions}: {said}");
        assert!(
            said.contains("<abstract>:1:") && said.contains('^'),
            "{said}"
        );
    }
    let model = example("gcl/value_any.gcl");
    let (code, said) = call(&["check", &model, "--abstract", "light:sign"]);
    assert!(
        said.contains("this is for a number") && code == Some(2),
        "{said}"
    );
    let (code, said) = call(&[
        "check",
        &model,
        "--abstract",
        "cars:any",
        "--domain",
        "expl",
    ]);
    let expected = "it is for the domains `value` and `value-pred-…`";
    assert!(said.contains(expected) && code == Some(2), "{said}");
}

/// The abstraction of `reset.gcl` as guarded commands.
fn reset(kind: &str) -> String {
    let (model, predicates) = (example("gcl/reset.gcl"), example("gcl/reset.preds"));
    let args = [
        "abstract",
        &model,
        "--predicates",
        &predicates,
        "--kind",
        kind,
    ];
    let (code, text) = call(&args);
    assert_eq!(code, Some(0), "{text}");
    let file = scratch("abstraction").join(format!("reset_{kind}.gcl"));
    std::fs::write(&file, text).expect("the file can be written");
    file.display().to_string()
}

#[test]
fn an_abstraction_is_a_model_that_is_checked_again() {
    let may = reset("may");
    let holds = "G (high -> X (high or not positive))";
    assert_eq!(call(&["check", &may, "--ltl", holds]).0, Some(0));
    // True of the model, where 1 is followed by 2 and that by 3, but the abstraction cannot count.
    let model = example("gcl/reset.gcl");
    let thrice = |middle: &str| format!("G !(({middle}) && X (({middle}) && X ({middle})))");
    let (on_may, on_model) = (thrice("positive && !high"), thrice("x > 0 && x <= 2"));
    assert_eq!(call(&["check", &may, "--ltl", &on_may]).0, Some(1));
    assert_eq!(call(&["check", &model, "--ltl", &on_model]).0, Some(0));
    assert_eq!(call(&["check", &may, "--ltl", "G not high"]).0, Some(1));
    let must = reset("must");
    let check = ["check", &must, "--deadlock", "ignore", "--ltl"];
    assert_eq!(call(&[&check[..], &["F positive"]].concat()).0, Some(1));
    assert_eq!(call(&[&check[..], &["G not positive"]].concat()).0, Some(0));
}

#[test]
fn abstractions_come_from_functions_and_proofs_too() {
    let model = example("gcl/reset.gcl");
    let (code, said) = call(&[
        "abstract",
        &model,
        "--abstract",
        "x:sign",
        "--format",
        "text",
    ]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("x_negative: x < 0") && said.contains("2 classes"),
        "{said}"
    );
    let formula = "G (x > 2 -> x > 0)";
    let (code, said) = call(&["abstract", &model, "--from-check", formula]);
    assert!(code == Some(0) && said.contains("init"), "{said}");
    let (code, said) = call(&["abstract", &model, "--from-check", "G (x < 2)"]);
    assert!(
        code == Some(2) && said.contains("there is no proof"),
        "{said}"
    );
    let (code, said) = call(&["abstract", &model, "--abstract", "x:id"]);
    assert!(
        code == Some(2) && said.contains("too many classes"),
        "{said}"
    );
    assert_eq!(call(&["abstract", &model]).0, Some(2));
}

#[test]
fn pictures_and_data_tell_may_from_must() {
    let (model, predicates) = (example("gcl/reset.gcl"), example("gcl/reset.preds"));
    let args = ["abstract", &model, "--predicates", &predicates, "--format"];
    let (_, dot) = call(&[&args[..], &["dot"]].concat());
    // Eight steps and one start; four of the steps and the start are must.
    assert_eq!(dot.matches("style=dashed").count(), 4, "{dot}");
    assert_eq!(dot.matches("style=solid").count(), 5, "{dot}");
    let (_, json) = call(&[&args[..], &["json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let steps = json["steps"].as_array().expect("there are steps");
    assert_eq!(steps.len(), 8);
    assert_eq!(json["exact"], false);
    let must = steps.iter().filter(|step| step["kind"] == "must").count();
    assert_eq!(
        (must, json["classes"].as_array().map(Vec::len)),
        (4, Some(3))
    );
}

#[test]
fn a_loop_of_must_steps_is_a_counterexample() {
    let model = example("gcl/reset.gcl");
    let args = [
        "check",
        &model,
        "--ltl",
        "F (x > 0)",
        "--domain",
        "pred-split",
    ];
    let (code, said) = call(&[&args[..], &["--approach", "may-must", "--json", "-"]].concat());
    assert_eq!(code, Some(1), "{said}");
    let json: serde_json::Value = serde_json::from_str(&said).expect("it is JSON");
    let statistics = &json["results"][0]["statistics"];
    assert_eq!(statistics["must_lassos"], 1, "{statistics}");
    let (_, said) = call(&[&args[..], &["--approach", "may-must", "--explain"]].concat());
    assert!(said.contains("follows steps that every state"), "{said}");
}
