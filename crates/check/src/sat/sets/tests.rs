//! Decision diagrams against truth tables, whatever their order.

use super::diagram::{Bdd, Diagrams, Var};
use lariat_base::Budget;

/// The variables of the functions, all of whose assignments are tried.
const N_VARS: usize = 7;

/// A function, as the set of assignments (as numbers) that make it true.
type Table = u128;

fn table_of_var(var: usize) -> Table {
    let is_set = |at: &usize| at >> var & 1 == 1;
    (0..1 << N_VARS).filter(is_set).map(|at| 1 << at).sum()
}

/// A table in which a variable has a fixed value.
fn fixed(table: Table, var: usize, value: bool) -> Table {
    let source = |at: usize| {
        if value {
            at | 1 << var
        } else {
            at & !(1 << var)
        }
    };
    (0..1usize << N_VARS)
        .map(|at| (table >> source(at) & 1) << at)
        .sum()
}

/// Numbers that look random (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

fn table(diagrams: &Diagrams, f: Bdd) -> Table {
    let value = |at: usize| {
        let mut edge = f;
        while !edge.is_constant() {
            let node = &diagrams.nodes[edge.node()];
            let is_set = at >> node.var & 1 == 1;
            let next = if is_set { node.high } else { node.low };
            edge = next.negated_if(edge.is_negated());
        }
        edge == Bdd::TRUE
    };
    (0..1usize << N_VARS)
        .map(|at| Table::from(value(at)) << at)
        .sum()
}

/// Functions with their tables, made by random operations.
fn functions(diagrams: &mut Diagrams, random: &mut Random) -> Vec<(Bdd, Table)> {
    let mut all: Vec<(Bdd, Table)> = vec![(Bdd::TRUE, !0), (Bdd::FALSE, 0)];
    for var in 0..N_VARS {
        all.push((diagrams.var(var as Var).unwrap(), table_of_var(var)));
    }
    for _ in 0..40 {
        let [(f, a), (g, b), (h, c)] = [(); 3].map(|()| all[random.below(all.len())]);
        let (f, a) = if random.below(2) == 0 {
            (f, a)
        } else {
            (!f, !a)
        };
        let var = random.below(N_VARS);
        let cube = diagrams.cube(&[var as Var]).unwrap();
        let exists = |table| fixed(table, var, false) | fixed(table, var, true);
        let made = match random.below(6) {
            0 => (diagrams.and(f, g), a & b),
            1 => (diagrams.or(f, g), a | b),
            2 => (diagrams.xor(f, g), a ^ b),
            3 => (diagrams.ite(f, g, h), a & b | !a & c),
            4 => (diagrams.and_exists(f, g, cube), exists(a & b)),
            _ => (diagrams.exists(f, cube), exists(a)),
        };
        all.push((made.0.unwrap(), made.1));
    }
    all
}

/// All operations mean what they say, a function has one diagram, and neither freeing nor another order changes any.
#[test]
fn diagrams_are_their_truth_tables() {
    let mut random = Random(0x9E37_79B9);
    let vars: Vec<Var> = (0..N_VARS as Var).collect();
    for _ in 0..300 {
        let mut diagrams = Diagrams::new(N_VARS, &Budget::unlimited());
        let mut all = functions(&mut diagrams, &mut random);
        let blocks: Vec<Vec<Var>> = match random.below(2) {
            0 => (0..N_VARS as Var).map(|var| vec![var]).collect(),
            _ => vec![vec![0, 1], vec![2], vec![3, 4], vec![5, 6]],
        };
        for _ in 0..3 {
            for &(f, expected) in &all {
                assert_eq!(table(&diagrams, f), expected);
                let n_true = u64::from(expected.count_ones());
                assert_eq!(diagrams.count(f, &vars), n_true);
                let same = all.iter().filter(|other| other.1 == expected);
                assert!(same.clone().all(|other| other.0 == f));
            }
            all.truncate(25);
            let roots: Vec<Bdd> = all.iter().map(|&(f, _)| f).collect();
            diagrams.sweep(&roots);
            let n_nodes = diagrams.n_nodes();
            diagrams.sift(&roots, &blocks).unwrap();
            assert!(diagrams.n_nodes() <= n_nodes);
            for block in blocks.iter().filter(|block| block.len() == 2) {
                let [first, second] = [block[0], block[1]].map(|var| diagrams.level[var as usize]);
                assert_eq!(first + 1, second);
            }
            diagrams.forget();
            let more = functions(&mut diagrams, &mut random);
            all.extend(more);
        }
    }
}

/// A renamed function is the same function of other variables, also where their order is another.
#[test]
fn a_renamed_function_reads_other_variables() {
    let mut random = Random(77);
    for _ in 0..200 {
        let mut diagrams = Diagrams::new(N_VARS, &Budget::unlimited());
        let all = functions(&mut diagrams, &mut random);
        let (mut f, mut expected) = all[random.below(all.len())];
        let cube = diagrams.cube(&[4, 5, 6]).unwrap();
        f = diagrams.exists(f, cube).unwrap();
        for var in 4..N_VARS {
            expected = fixed(expected, var, false) | fixed(expected, var, true);
        }
        let renamed = diagrams.rename(f, &[6, 4, 5, 3, 4, 5, 6], 0).unwrap();
        let read = |at: usize| at >> 6 & 1 | (at >> 4 & 1) << 1 | (at >> 5 & 1) << 2 | at & 8;
        let expected: Table = (0..1usize << N_VARS)
            .map(|at| (expected >> read(at) & 1) << at)
            .sum();
        assert_eq!(table(&diagrams, renamed), expected);
    }
}

/// What is picked from a set is in it, and a point is the set of one assignment.
#[test]
fn a_set_has_what_is_picked_from_it() {
    let mut random = Random(5);
    let mut diagrams = Diagrams::new(N_VARS, &Budget::unlimited());
    let vars: Vec<Var> = (0..N_VARS as Var).collect();
    for (f, expected) in functions(&mut diagrams, &mut random) {
        if f == Bdd::FALSE {
            continue;
        }
        let values = diagrams.pick(f, &vars);
        let at: usize = values
            .iter()
            .zip(0..)
            .map(|(&value, bit)| usize::from(value) << bit)
            .sum();
        assert_eq!(expected >> at & 1, 1);
        let point = diagrams.point(&vars, &values).unwrap();
        assert_eq!(table(&diagrams, point), 1 << at);
    }
}

/// A set that leaves most bits open has as many states as there are values of those.
#[test]
fn states_of_large_sets_are_counted() {
    let mut diagrams = Diagrams::new(100, &Budget::unlimited());
    let vars: Vec<Var> = (0..50).map(|var| 2 * var).collect();
    let [a, b] = [20, 40].map(|var| diagrams.var(var).unwrap());
    let either = diagrams.or(a, b).unwrap();
    assert_eq!(diagrams.count(either, &vars), 3 << 48);
    assert_eq!(diagrams.count(Bdd::FALSE, &vars), 0);
    let all: Vec<Var> = (0..100).collect();
    assert_eq!(diagrams.count(either, &all), u64::MAX);
}
