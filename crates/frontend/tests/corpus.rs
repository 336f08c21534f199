//! Every model of the Theta corpus loads with the expected outcome and survives a round trip.
//! The corpus lies beside the repository; without it the tests pass vacuously.
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a test need not be fast"
)]

mod common;

use common::{load, round_trip};
use lariat_base::SourceFile;
use lariat_frontend::{Scope, language_of, parse_property_file};
use lariat_system::Language;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/theta");
    path.is_dir().then_some(path)
}

fn rows(table: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(table).expect("the table is readable");
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(row).collect()
}

/// What is expected of a model that does not load: the id of its first finding.
fn exception(model: &str) -> Option<&'static str> {
    // Floating point is not supported.
    if ["fp1.cfa", "fp2.cfa", "counter_fp_true.cfa"]
        .iter()
        .any(|name| model.ends_with(name))
    {
        return Some("unsupported-float");
    }
    None
}

#[test]
fn models_of_the_manifest_load_and_round_trip() {
    let Some(corpus) = corpus() else { return };
    let (mut n_models, mut failures) = (0, String::new());
    let mut models: Vec<String> = rows(&corpus.join("manifest.tsv"))
        .into_iter()
        .filter(|row| row[2] != "aiger")
        .map(|row| row[1].clone())
        .collect();
    models.extend(
        [
            "multi/doubler.cfa",
            "multi/incr_double.xsts",
            "multi/incrementor.xsts",
            "multi/philosopher1.cfa",
            "multi/philosopher2.cfa",
            "multi/philosopher3.cfa",
            "multi/philosopher4.cfa",
        ]
        .map(str::to_owned),
    );
    models.sort();
    models.dedup();
    for model in models {
        let text = std::fs::read_to_string(corpus.join(&model)).expect("the model is readable");
        let language = language_of(&model).expect("a known extension");
        n_models += 1;
        let outcome = match load(language, &model, &text) {
            Ok(mut loaded) => round_trip(&mut loaded).map(|_| ()),
            Err(findings) => match exception(&model) {
                Some(id) if findings.starts_with(id) => Ok(()),
                _ => Err(findings),
            },
        };
        if let Err(error) = outcome {
            failures += &format!("{model}: {error}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(n_models > 50, "{n_models} models");
}

#[test]
fn rows_of_the_parse_table_have_their_outcome() {
    let Some(corpus) = corpus() else { return };
    let mut failures = String::new();
    for row in rows(&corpus.join("parse.tsv")) {
        let (model, expected) = (&row[0], &row[2]);
        let Some(language) = language_of(model) else {
            continue;
        };
        let text = std::fs::read_to_string(corpus.join(model)).expect("the model is readable");
        let result = load(language, model, &text);
        let outcome = match (result, expected.as_str()) {
            (Err(findings), _) if exception(model).is_some_and(|id| findings.starts_with(id)) => {
                Ok(())
            }
            // Our `prop` is optional.
            (Ok(_), "syntax-error") if model.ends_with("no-prop.xsts") => Ok(()),
            (Err(_), "syntax-error") => Ok(()),
            // The model is sound; only the property compares two types.
            (Ok(loaded), expected) if expected.starts_with("type-error") => {
                property_of_two_types(&corpus, loaded)
            }
            (Ok(mut loaded), expected) if expected.starts_with("ok") => {
                counts(&loaded, expected).and_then(|()| round_trip(&mut loaded).map(|_| ()))
            }
            (Ok(_), expected) => Err(format!("loads, expected {expected}")),
            (Err(findings), _) => Err(findings),
        };
        if let Err(error) = outcome {
            failures += &format!("{model}: {error}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn property_of_two_types(corpus: &Path, loaded: common::Loaded) -> Result<(), String> {
    let mut loaded = loaded;
    let path = corpus.join("parse/xsts-typeerror/literals.prop");
    let text = std::fs::read_to_string(path).expect("the property is readable");
    let id = loaded.map.add("literals.prop", text.clone());
    let scope = Scope::new(&mut loaded.cx, &[&loaded.system]);
    let file = SourceFile {
        name: "literals.prop".into(),
        text,
        pieces: Vec::new(),
    };
    match parse_property_file(&mut loaded.cx, &scope, id, &file) {
        Err(findings) if findings[0].id == "type-mismatch" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// `ok vars=3 locs=9 edges=10`.
fn counts(loaded: &common::Loaded, expected: &str) -> Result<(), String> {
    let system = &loaded.system;
    let steps = || system.edges.rows().flat_map(|(_, row)| row);
    let n_named = system
        .locations
        .iter()
        .filter(|location| location.role != lariat_system::LocRole::Inner)
        .count();
    for word in expected.split_whitespace() {
        let Some((what, number)) = word.split_once('=') else {
            continue;
        };
        let found = match what {
            "vars" => system.variables.len(),
            "locs" => n_named,
            "edges" => steps().filter(|edge| !edge.stutter).count(),
            _ => continue,
        };
        // Theta counts an edge of several statements as one per statement and its inner locations too.
        let found_locations = system.locations.len();
        let fits =
            found.to_string() == number || what == "locs" && found_locations.to_string() == number;
        if !fits {
            return Err(format!("{what} is {found}, expected {number}"));
        }
    }
    Ok(())
}

#[test]
fn property_files_load_over_their_models() {
    let Some(corpus) = corpus() else { return };
    let (mut n, mut failures) = (0, String::new());
    for row in rows(&corpus.join("manifest.tsv")) {
        if row[2] != "xsts" || row[3] != "invar" {
            continue;
        }
        let text = std::fs::read_to_string(corpus.join(&row[1])).expect("the model is readable");
        let Ok(mut loaded) = load(Language::Xsts, &row[1], &text) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(corpus.join(&row[4])) else {
            continue;
        };
        let id = loaded.map.add(row[4].clone(), text.clone());
        let scope = Scope::new(&mut loaded.cx, &[&loaded.system]);
        let file = loaded.map.file(id).clone();
        n += 1;
        if let Err(findings) = parse_property_file(&mut loaded.cx, &scope, id, &file) {
            failures += &format!(
                "{} on {}: {}",
                row[4],
                row[1],
                common::show(&file, &findings)
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(n > 50, "{n} property files");
}

#[test]
fn scripts_of_smt_lib_load_and_are_read_back() {
    let Some(corpus) = corpus() else { return };
    let mut failures = String::new();
    for (folder, language) in [("vmt", Language::Vmt), ("moxi", Language::Moxi)] {
        let folder = corpus.join("../eco").join(folder);
        if !folder.is_dir() {
            continue;
        }
        let mut models: Vec<(String, bool)> = rows(&folder.join("manifest.tsv"))
            .into_iter()
            .map(|row| (row[1].clone(), true))
            .collect();
        let table = rows(&folder.join("parse.tsv")).into_iter();
        models.extend(table.map(|row| (row[0].clone(), row[2] == "ok")));
        models.sort();
        models.dedup();
        for (model, is_good) in models {
            let text = std::fs::read_to_string(folder.join(&model)).expect("a model");
            let outcome = match (load(language, &model, &text), is_good) {
                // Long conjunctions may come back grouped otherwise.
                (Ok(mut loaded), true) => match round_trip(&mut loaded) {
                    Err(why) if !why.starts_with("differs") => Err(why),
                    _ => Ok(()),
                },
                (Err(_), false) => Ok(()),
                // It has 65 bits, which is too wide for its authors only.
                (Ok(_), false) if model.ends_with("bv-const-3X.moxi") => Ok(()),
                (Ok(_), false) => Err("it is read".to_owned()),
                (Err(findings), true) => Err(findings),
            };
            if let Err(why) = outcome {
                failures += &format!("{model}: {why:.2000}\n");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
