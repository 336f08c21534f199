//! The table of sizes per set, the formulas on which a peer is smaller, times, ablation, families.

use super::{Options, cpu_ms};
use lariat_base::{Budget, Id, SourceId};
use lariat_ltl::{
    Acceptance, Automaton, Effort, FormulaId, Formulas, PlainNames, Steps, Syntax, TranslateConfig,
    TranslateError, parse_formula, translate,
};
use std::collections::BTreeMap;
use std::time::Duration;

const CLASSIC: [&str; 5] = [
    "dac-patterns",
    "eh-patterns",
    "sb-patterns",
    "hkrss-patterns",
    "p-patterns",
];
const KINDS: [(Acceptance, &str); 3] = [
    (Acceptance::Generalized, "tgba"),
    (Acceptance::Buchi, "tba"),
    (Acceptance::StateBuchi, "ba"),
];
/// Passes over all formulas; the best one is the time.
const PASSES: usize = 5;

/// One formula or negation of the corpus.
struct Case {
    set: String,
    name: String,
    text: String,
    formulas: Formulas,
    formula: FormulaId,
    /// By acceptance: Spot's states, edges and milliseconds; none if it did not finish.
    spot: BTreeMap<String, Option<(usize, usize, f64)>>,
}

/// Prints what `options` asks for.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let all = load(options)?;
    let classic: Vec<&Case> = all
        .iter()
        .filter(|case| CLASSIC.contains(&case.set.as_str()))
        .collect();
    if options.families {
        families(&all, options);
        return Ok(());
    }
    if options.ablation {
        ablation(&classic);
        return Ok(());
    }
    for (acceptance, kind) in KINDS {
        table(&classic, acceptance, kind, options.losses);
    }
    for (effort, name) in [
        (Effort::Low, "low"),
        (Effort::High, "high"),
        (Effort::Deterministic, "deterministic"),
    ] {
        for (acceptance, kind) in KINDS {
            let config = TranslateConfig::new(acceptance, effort);
            let (ms, median) = time(&classic, &config);
            let (states, edges, nondet) = totals(&classic, &config);
            println!(
                "effort {name:13} {kind:4}: {states:5} states {edges:5} edges {nondet:4} \
                 nondeterministic automata, {ms:7.1} ms CPU for {}, median {:.0} us",
                classic.len(),
                1000.0 * median
            );
        }
    }
    Ok(())
}

fn load(options: &Options) -> Result<Vec<Case>, String> {
    let path = options.corpus.join("peer-sizes.tsv");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut cases: BTreeMap<(String, u32, String), Case> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[
            set,
            formula,
            tool,
            kind,
            states,
            edges,
            _,
            ms,
            polarity,
            n,
            ..,
        ] = fields.as_slice()
        else {
            return Err(format!("{}: not a row: {line}", path.display()));
        };
        if tool != "spot" || !(CLASSIC.contains(&set) || set.starts_with("fam:")) {
            continue;
        }
        let number: u32 = n.parse().unwrap_or(0);
        let key = (set.to_owned(), number, format!("{polarity} {formula}"));
        if !cases.contains_key(&key) {
            let mut formulas = Formulas::new();
            // Strong next is next on infinite words.
            let text = formula.replace("X[!]", "X");
            let source = SourceId::from_index(0);
            let parsed = parse_formula(&mut formulas, source, &text, Syntax::Spot, &mut PlainNames);
            let mut f = parsed
                .map_err(|errors| format!("{formula}: {errors:?}"))?
                .formula;
            if polarity == "neg" {
                f = formulas.not(f);
            }
            let case = Case {
                set: set.to_owned(),
                name: format!("{set} {n} {polarity}"),
                text: formula.to_owned(),
                formulas,
                formula: f,
                spot: BTreeMap::new(),
            };
            cases.insert(key.clone(), case);
        }
        let size = match (states.parse(), edges.parse(), ms.parse()) {
            (Ok(states), Ok(edges), Ok(ms)) => Some((states, edges, ms)),
            _ => None,
        };
        let case = cases.get_mut(&key).expect("inserted above");
        case.spot.insert(kind.to_owned(), size);
    }
    Ok(cases.into_values().collect())
}

fn automaton(
    case: &Case,
    config: &TranslateConfig,
    seconds: u64,
) -> Result<Automaton, TranslateError> {
    let mut formulas = case.formulas.clone();
    let budget = Budget::unlimited()
        .with_time(Duration::from_secs(seconds))
        .with_memory(2 << 30);
    translate(&mut formulas, case.formula, config, &budget)
}

fn table(cases: &[&Case], acceptance: Acceptance, kind: &str, losses: bool) {
    let config = TranslateConfig::new(acceptance, Effort::High);
    println!("{kind}: ours against Spot 2.12.1 (states/edges), formulas not larger than Spot's");
    let (mut all, mut all_spot, mut all_good, mut all_good_edges, mut n_all) =
        ((0, 0), (0, 0), 0u32, 0u32, 0u32);
    for set in CLASSIC {
        let (mut ours, mut spot, mut good, mut good_edges, mut n) =
            ((0, 0), (0, 0), 0u32, 0u32, 0u32);
        for case in cases.iter().filter(|case| case.set == set) {
            let Some(Some((states, edges, _))) = case.spot.get(kind) else {
                continue;
            };
            let Ok(automaton) = automaton(case, &config, 20) else {
                println!("  {} gave up", case.name);
                continue;
            };
            let size = (automaton.n_states(), automaton.n_edges());
            ours = (ours.0 + size.0, ours.1 + size.1);
            spot = (spot.0 + states, spot.1 + edges);
            n += 1;
            good += u32::from(size.0 <= *states);
            good_edges += u32::from(size <= (*states, *edges));
            if losses && size > (*states, *edges) {
                println!(
                    "  {}: {}/{} against {states}/{edges}: {}",
                    case.name, size.0, size.1, case.text
                );
            }
        }
        println!(
            "  {set:15} {:5}/{:5} {:5}/{:5}  {good}/{n} ({good_edges} with edges)",
            ours.0, ours.1, spot.0, spot.1
        );
        all = (all.0 + ours.0, all.1 + ours.1);
        all_spot = (all_spot.0 + spot.0, all_spot.1 + spot.1);
        all_good += good;
        all_good_edges += good_edges;
        n_all += n;
    }
    let percent = |good: u32| 100.0 * f64::from(good) / f64::from(n_all.max(1));
    println!(
        "  {:15} {:5}/{:5} {:5}/{:5}  {:.1} % ({:.1} % with edges)",
        "all",
        all.0,
        all.1,
        all_spot.0,
        all_spot.1,
        percent(all_good),
        percent(all_good_edges)
    );
}

fn totals(cases: &[&Case], config: &TranslateConfig) -> (usize, usize, usize) {
    cases
        .iter()
        .filter_map(|case| automaton(case, config, 20).ok())
        .fold((0, 0, 0), |acc, a| {
            let nondet = usize::from(!a.is_deterministic());
            (acc.0 + a.n_states(), acc.1 + a.n_edges(), acc.2 + nondet)
        })
}

/// CPU milliseconds of the best pass, and the median formula of that pass.
fn time(cases: &[&Case], config: &TranslateConfig) -> (f64, f64) {
    let budget = Budget::unlimited();
    let passes = (0..PASSES).map(|_| {
        let mut stores: Vec<Formulas> = cases.iter().map(|case| case.formulas.clone()).collect();
        let mut each = Vec::with_capacity(cases.len());
        let start = cpu_ms();
        for (case, store) in cases.iter().zip(&mut stores) {
            let one = std::time::Instant::now();
            let made = translate(store, case.formula, config, &budget);
            each.push(one.elapsed().as_secs_f64() * 1000.0);
            std::hint::black_box(made.is_ok());
        }
        let total = cpu_ms() - start;
        each.sort_by(f64::total_cmp);
        (total, each[each.len() / 2])
    });
    passes.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a pass")
}

fn ablation(cases: &[&Case]) {
    /// A switch by name.
    type Off = (&'static str, fn(&mut Steps));
    let rows: [Off; 15] = [
        ("everything", |_| {}),
        ("without rewriting", |s| s.simplify = false),
        ("without explicit letters", |s| s.explicit_letters = false),
        ("without SCC clean-up", |s| s.scc = false),
        ("without direct simulation", |s| s.direct_simulation = false),
        ("without reverse simulation", |s| {
            s.reverse_simulation = false;
        }),
        ("without moving of marks", |s| s.move_marks = false),
        ("without weak minimisation", |s| s.wdba = false),
        ("without simulation of the BA", |s| {
            s.buchi_simulation = false;
        }),
        ("without several set orders", |s| s.set_orders = false),
        ("without several tableaux", |s| s.portfolio = false),
        ("without suspension", |s| s.suspension = false),
        ("without recurrence", |s| s.recurrence = false),
        ("without splitting", |s| s.split = false),
        ("without unions", |s| s.union = false),
    ];
    for (name, off) in rows {
        print!("{name:30}");
        for (acceptance, kind) in KINDS {
            let mut config = TranslateConfig::new(acceptance, Effort::High);
            off(&mut config.steps);
            let (states, edges, _) = totals(cases, &config);
            let (ms, _) = time(cases, &config);
            print!("  {kind} {states:5}/{edges:5} {ms:6.1} ms");
        }
        println!();
    }
}

fn families(cases: &[Case], options: &Options) {
    let only = options.only.as_deref();
    let families = cases.iter().filter(|case| {
        let family = case.set.strip_prefix("fam:");
        family.is_some_and(|family| only.is_none_or(|only| only == family))
    });
    let wanted = |kind: &str| options.kind.as_ref().is_none_or(|only| only == kind);
    for (acceptance, kind) in KINDS.into_iter().filter(|(_, kind)| wanted(kind)) {
        let (mut solved, mut solved_spot, mut n) = (0, 0, 0);
        let (mut ours_total, mut spot_total, mut not_larger) = (0, 0, 0);
        for case in families.clone() {
            let Some(spot) = case.spot.get(kind) else {
                continue;
            };
            n += 1;
            let config = TranslateConfig::new(acceptance, Effort::High);
            let start = cpu_ms();
            let made = automaton(case, &config, options.seconds);
            let ms = cpu_ms() - start;
            let size = made.map(|a| (a.n_states(), a.n_edges()));
            solved += usize::from(size.is_ok());
            solved_spot += usize::from(spot.is_some());
            if let (Ok(ours), Some((states, edges, _))) = (&size, spot) {
                ours_total += ours.0;
                spot_total += states;
                not_larger += usize::from(ours <= &(*states, *edges));
            }
            let interesting = match (&size, spot) {
                (Ok(ours), Some((states, _, spot_ms))) => {
                    ours.0 != *states || ms > 500.0 || *spot_ms > 500.0
                }
                _ => true,
            };
            if interesting || only.is_some() {
                let ours = match size {
                    Ok((states, edges)) => format!("{states}/{edges} {ms:.1} ms"),
                    Err(error) => format!("{error} after {ms:.0} ms"),
                };
                let spot = match spot {
                    Some((states, edges, ms)) => format!("{states}/{edges} {ms:.1} ms"),
                    None => "no answer in 20 s".to_owned(),
                };
                println!("  {kind} {}: {ours}; Spot {spot}", case.name);
            }
        }
        println!(
            "{kind}: {solved} of {n} solved (Spot {solved_spot}); on the common ones \
             {ours_total} states (Spot {spot_total}), not larger on {not_larger}"
        );
    }
}
