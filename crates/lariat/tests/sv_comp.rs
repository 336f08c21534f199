//! `scripts/sv-comp`: the words of SV-COMP for what Lariat answers.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

#[test]
fn verdicts_are_said_in_the_words_of_the_competition() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sv-comp");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let reach = file(
        "unreach-call.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    let ends = file("termination.prp", "CHECK( init(main()), LTL(F end) )\n");
    let error = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";
    let safe = file(
        "safe.c",
        &format!(
            "{error}int main(void) {{ int x = 0; while (x < 3) x++; if (x != 3) reach_error(); return 0; }}\n"
        ),
    );
    let unsafe_ = file(
        "unsafe.c",
        &format!(
            "{error}int main(void) {{ int x = __VERIFIER_nondet_int(); if (x == 7) reach_error(); while (1); }}\n"
        ),
    );
    let witness = folder.join("witness.yml");
    let _ = std::fs::remove_file(&witness);
    let said = |args: &[&str]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/sv-comp");
        let output = Command::new(script)
            .args(args)
            .env("LARIAT", env!("CARGO_BIN_EXE_lariat"))
            .output()
            .expect("the script runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or_default().to_owned();
        (last, output.status.code())
    };
    let ok = |text: &str| (text.to_owned(), Some(0));
    assert_eq!(said(&["--prop", &reach, "--64", &safe]), ok("true"));
    let path = witness.display().to_string();
    let found = said(&["--prop", &reach, "--witness", &path, &unsafe_]);
    assert_eq!(found, ok("false(unreach-call)"));
    assert!(witness.exists());
    assert_eq!(
        said(&["--prop", &ends, "--timeout", "60s", &unsafe_]),
        ok("false(termination)")
    );
    assert_eq!(
        said(&["--prop", &reach, "--32", &safe]),
        ok("unknown (data model ILP32)")
    );
    assert_eq!(said(&["--prop", "missing.prp", &safe]).0, "ERROR");
    assert_eq!(said(&[&safe]).1, Some(2));
}
