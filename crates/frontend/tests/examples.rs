//! Every model of `examples/` loads without a warning, says what it models, survives a round trip,
//! and has properties of both verdicts in `expected.tsv`, whose own rows make sense.

mod common;

use common::{Loaded, load, round_trip, show};
use lariat_base::Span;
use lariat_frontend::{Scope, language_of, parse_expression};
use lariat_system::Language;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The models as `language/file`, in order.
fn models() -> Vec<String> {
    let mut models = Vec::new();
    for language in Language::ALL {
        let folder = examples().join(language.name());
        for entry in std::fs::read_dir(folder).expect("one folder per language") {
            let name = entry.expect("the folder is readable").file_name();
            // Predicates for `lariat abstract` lie beside their models.
            if Path::new(&name)
                .extension()
                .is_none_or(|ending| ending != "preds")
            {
                models.push(format!("{}/{}", language.name(), name.display()));
            }
        }
    }
    models.sort();
    models
}

fn load_example(model: &str) -> Loaded {
    let text = std::fs::read_to_string(examples().join(model)).expect("the model is readable");
    let language = language_of(model).expect("a known extension");
    load(language, model, &text).unwrap_or_else(|findings| panic!("{model}: {findings}"))
}

/// A row of `expected.tsv`.
struct Row {
    models: Vec<String>,
    kind: String,
    property: String,
    expected: String,
}

fn rows() -> Vec<Row> {
    let table = std::fs::read_to_string(examples().join("expected.tsv")).expect("the table");
    let mut lines = table.lines();
    assert_eq!(
        lines.next(),
        Some("model\tcompose\tkind\tproperty\texpected\twhy")
    );
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [models, compose, kind, property, expected, why] = fields[..] else {
            panic!("not six fields: {line}");
        };
        let models: Vec<String> = models.split(" + ").map(str::to_owned).collect();
        let composes = ["alternate", "interleave"].contains(&compose);
        assert_eq!(composes, models.len() > 1, "{line}");
        assert!(["holds", "violated"].contains(&expected), "{line}");
        assert!(!why.is_empty(), "{line}");
        Row {
            models,
            kind: kind.to_owned(),
            property: property.to_owned(),
            expected: expected.to_owned(),
        }
    };
    lines.map(row).collect()
}

#[test]
fn every_language_has_models_that_load_and_round_trip() {
    let models = models();
    for language in Language::ALL {
        let prefix = format!("{}/", language.name());
        let n = models
            .iter()
            .filter(|model| model.starts_with(&prefix))
            .count();
        assert!(n >= 5, "{n} models in {prefix}");
    }
    for model in &models {
        let mut loaded = load_example(model);
        let file = loaded.map.file(lariat_base::Id::from_index(0)).clone();
        assert!(
            loaded.warnings.is_empty(),
            "{model}: {}",
            show(&file, &loaded.warnings)
        );
        assert!(file.text.starts_with("// "), "{model} says what it models");
        round_trip(&mut loaded).unwrap_or_else(|error| panic!("{model}: {error}"));
    }
}

#[test]
fn every_model_has_properties_of_both_verdicts() {
    let rows = rows();
    for model in models() {
        let of_model = || rows.iter().filter(|row| row.models.contains(&model));
        for expected in ["holds", "violated"] {
            assert!(
                of_model().any(|row| row.expected == expected),
                "{model}: nothing {expected}"
            );
        }
        let temporal = |row: &Row| row.kind == "ltl" || row.kind == "property";
        assert!(of_model().any(temporal), "{model}: no temporal property");
    }
}

#[test]
fn the_properties_of_the_table_exist() {
    for row in rows() {
        let mut loaded = load_example(&row.models[0]);
        let others: Vec<Loaded> = row.models[1..]
            .iter()
            .map(|model| load_example(model))
            .collect();
        let of_model = &loaded.system.properties;
        let place = format!("{}: {}", row.models.join(" + "), row.property);
        match row.kind.as_str() {
            "own" => assert_eq!((of_model.len(), row.property.as_str()), (1, "-"), "{place}"),
            // Every program of a controller can be asked for this.
            "property" if row.property == "faults" => {
                assert_eq!(loaded.system.language, Language::St, "{place}");
            }
            "property" => {
                let mut properties = of_model.iter();
                assert!(
                    properties.any(|property| property.is_called(&row.property)),
                    "{place}"
                );
            }
            // Over the variables of the first part: the parts of our compositions share them.
            "invariant" => {
                assert!(others.len() < 2, "{place}");
                let id = loaded.map.add("<invariant>", row.property.clone());
                let span = Span::new(id, 0, row.property.len());
                let scope = Scope::new(&mut loaded.cx, &[&loaded.system]);
                let bool_ = loaded.cx.terms.sorts.bool();
                let read =
                    parse_expression(&mut loaded.cx, &scope, span, &row.property, Some(bool_));
                let file = loaded.map.file(id);
                assert!(read.is_ok(), "{place}: {}", show(file, &read.unwrap_err()));
            }
            "ltl" => {}
            other => panic!("{place}: unknown kind {other}"),
        }
    }
}
