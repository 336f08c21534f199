//! C programs of several files: one program, as a linker makes it. What the compiler's linker makes of the same files is the
//! oracle.

use std::path::{Path, PathBuf};
use std::process::Command;

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const REFUSED: i32 = 2;

/// A folder of its own with the files of a program.
struct Program {
    folder: PathBuf,
    sources: Vec<&'static str>,
}

impl Program {
    /// A program of these files; headers are not named to `check`.
    fn new(name: &str, files: &[(&'static str, &str)]) -> Self {
        let folder = format!("lariat-files-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (file, text) in files {
            std::fs::write(folder.join(file), text).expect("the file is written");
        }
        let sources = files.iter().map(|file| file.0);
        let is_source = |name: &&str| Path::new(name).extension().is_some_and(|end| end == "c");
        let sources = sources.filter(is_source).collect();
        Self { folder, sources }
    }

    /// Checks; the exit code must be this one. Gives what was printed, errors last.
    fn check(&self, arguments: &[&str], code: i32) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .arg("check")
            .args(&self.sources)
            .args(arguments)
            .args(["--timeout", "60s"])
            .current_dir(&self.folder)
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        said
    }

    /// What `main` returns if the system's compiler makes the program; nothing if there is no compiler.
    fn compiled(&self) -> Option<i32> {
        let mut compiler = Command::new("cc");
        compiler.args(&self.sources).args(["-o", "program"]);
        let built = compiler.current_dir(&self.folder).output().ok()?;
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        assert!(built.status.success(), "{said}");
        let ran = Command::new(self.folder.join("program")).status();
        ran.expect("the program runs").code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const PUMP_H: &str = "
#ifndef PUMP_H
#define PUMP_H
#define LIMIT 3
enum mode { OFF, ON };
typedef struct { int level; enum mode mode; } pump_t;
struct log { int n; struct log *next; };
extern pump_t pump;
void step(pump_t *p);
int full(const struct log *l);
#endif
";
const MAIN_C: &str = "#include \"pump.h\"
static int count;
static void work(void) { count++; }
struct log log_of_main = { 7, 0 };
int result;
int main(void) {
  for (int i = 0; i < 5; i++) { work(); step(&pump); }
  result = 10 * pump.level + count + full(&log_of_main);
  return result;
}
//@ ltl ends: F end;
";
const PUMP_C: &str = "#include \"pump.h\"
pump_t pump = { 0, ON };
static int count = 100;
static void work(void) { count--; }
void step(pump_t *p) { work(); if (p->mode == ON && p->level < LIMIT) p->level++; }
int full(const struct log *l) { return l->n == 7 ? 2 : 0; }
//@ ltl limit: G (pump.level <= LIMIT);
";

fn pump(name: &str) -> Program {
    let files = [("pump.h", PUMP_H), ("main.c", MAIN_C), ("pump.c", PUMP_C)];
    Program::new(name, &files)
}

#[test]
fn files_are_linked_as_the_compiler_links_them() {
    let program = pump("linked");
    let result = program.compiled().unwrap_or(37);
    assert_eq!(result, 37, "10 * 3 + 5 + 2");
    let is_result = format!("F (end && result == {result})");
    program.check(&["--ltl", &is_result], HOLDS);
    program.check(&["--ltl", "G (result != 37)"], VIOLATED);
    // Each file has its own count and its own work.
    program.check(
        &["--ltl", "F (end && main::count == 5 && pump::count == 95)"],
        HOLDS,
    );
    program.check(&["--ltl", "G (pump::count > 95)"], VIOLATED);
    program.check(
        &["--ltl", "G (pump.mode == ON && pump.level <= LIMIT)"],
        HOLDS,
    );
}

#[test]
fn properties_of_all_files_are_checked_and_places_are_those_of_each() {
    let program = pump("places");
    let said = program.check(&[], HOLDS);
    assert!(
        said.contains("ends: ") && said.contains("limit: "),
        "{said}"
    );
    let said = program.check(&["--ltl", "G (pump.level < 3)"], VIOLATED);
    assert!(
        said.contains("pump.c:5") && said.contains("main.c:7"),
        "{said}"
    );
}

/// Programs with what linking is about, each with what `main` returns.
const LINKED: [(&str, i32, &str, &str); 5] = [
    (
        "tentative definitions and a declaration without length",
        12,
        "extern int a[]; int n; int n; int sum(void); int main(void) { n = 3; a[1] = 5; return sum(); }",
        "extern int n; int a[3] = {1, 2, 4}; int sum(void) { return a[0] + a[1] + a[2] + n - 1; }",
    ),
    (
        "a static name hides one of another file",
        9,
        "int x = 4; int get(void); static int twice(int v) { return v + v; } int main(void) { return twice(x) + get(); }",
        "static int x = 1; static int twice(int v) { return v; } int get(void) { return twice(x); }",
    ),
    (
        "a local name hides a static one, and extern in a block means the static one",
        23,
        "static int x = 3; int other(void);
         int main(void) { int r = 0; { int x = 20; r += x; } { extern int x; r += x; } return r + other(); }",
        "int x = 100; int other(void) { x = 0; return x; }",
    ),
    (
        "the same tag for different structs",
        15,
        "struct s { int a; int b; }; int f(void); int main(void) { struct s s = {1, 2}; return s.a + s.b + f(); }",
        "struct s { int *b; }; int f(void) { int v = 12; struct s s; s.b = &v; return *s.b; }",
    ),
    (
        "structs that know each other, passed by value",
        6,
        "struct b; struct a { int v; struct b *b; }; struct b { int v; struct a *a; };
         int f(struct a x); struct a one; struct b two;
         int main(void) { one.v = 4; two.v = 2; one.b = &two; two.a = &one; return f(one); }",
        "struct b; struct a { int v; struct b *b; }; struct b { int v; struct a *a; };
         int f(struct a x) { return x.v + x.b->v; }",
    ),
];

#[test]
fn small_programs_end_as_the_compiled_ones() {
    for (i, (what, expected, one, other)) in LINKED.into_iter().enumerate() {
        let one = one.replace("int main(void) {", "int result; int run(void) {");
        let one = format!("{one}\nint main(void) {{ result = run(); return result; }}");
        let files = [("one.c", &*one), ("other.c", other)];
        let program = Program::new(&format!("small-{i}"), &files);
        let compiled = program.compiled().unwrap_or(expected);
        assert_eq!(compiled, expected, "{what}");
        program.check(
            &["--ltl", &format!("F (end && result == {expected})")],
            HOLDS,
        );
        program.check(&["--ltl", &format!("G (result != {expected})")], VIOLATED);
    }
}

#[test]
fn what_a_linker_refuses_is_an_error_with_both_places() {
    let main = "int x = 1; int f(int a) { return a; } int main(void) { return f(x); }\n";
    let twice = Program::new("twice", &[("a.c", main), ("b.c", "int x;\n")]);
    let said = twice.check(&["--ltl", "G x == 1"], REFUSED);
    assert!(
        said.contains("error[duplicate-name]: the variable `x` is defined twice"),
        "{said}"
    );
    assert!(
        said.contains("b.c:1:5") && said.contains("a.c:1:5"),
        "{said}"
    );
    let twice = Program::new(
        "twice-f",
        &[("a.c", main), ("b.c", "int f(int b) { return 2; }\n")],
    );
    let said = twice.check(&["--ltl", "G x == 1"], REFUSED);
    assert!(
        said.contains("the function `f` is defined twice") && said.contains("b.c:1"),
        "{said}"
    );
    let types = [
        (
            "extern long x;\n",
            "the variable `x` has different types: int and long",
        ),
        ("long f(int a);\n", "the result of `f` has different types"),
        ("int f(char a);\n", "a parameter of `f` has different types"),
        (
            "int f(int a, int b);\n",
            "`f` is declared with different numbers of parameters",
        ),
    ];
    for (i, (other, expected)) in types.into_iter().enumerate() {
        let program = Program::new(&format!("types-{i}"), &[("a.c", main), ("b.c", other)]);
        let said = program.check(&["--ltl", "G x == 1"], REFUSED);
        assert!(
            said.contains("error[different-types]") && said.contains(expected),
            "{said}"
        );
    }
    let no_main = [("a.c", "int x;\n"), ("b.c", "extern int x;\n")];
    let said = Program::new("no-main", &no_main).check(&["--ltl", "G x == 0"], REFUSED);
    assert!(said.contains("error[missing-main]"), "{said}");
}

#[test]
fn constants_that_differ_carry_the_name_of_their_file() {
    let a = "#define LIMIT 3\nenum { A = 1 };\nint g(void); int x; int main(void) { x = LIMIT + g(); return 0; }\n";
    let b = "#define LIMIT 5\nenum { B = 2 };\nint g(void) { return LIMIT; }\n";
    let program = Program::new("constants", &[("a.c", a), ("b.c", b)]);
    program.check(
        &["--ltl", "F (end && x == a::LIMIT + b::LIMIT && A + B == 3)"],
        HOLDS,
    );
    let said = program.check(&["--ltl", "G x <= LIMIT"], REFUSED);
    assert!(said.contains("unknown name `LIMIT`"), "{said}");
}

#[test]
fn what_needs_one_file_says_so_and_other_languages_need_compose() {
    let program = pump("exports");
    for option in ["--harness", "--witness"] {
        let said = program.check(&[option, "out"], REFUSED);
        assert!(said.contains("it is for a C program of one file"), "{said}");
    }
    let mixed = [("a.c", "int main(void) { return 0; }\n")];
    let program = Program::new("mixed", &mixed);
    std::fs::write(program.folder.join("m.gcl"), "var x : 0..1 = 0\n").expect("a file");
    let said = program.check(&["m.gcl"], REFUSED);
    assert!(said.contains("several models need `--compose`"), "{said}");
}
