//! How the numbers of a lifted loop grow, told from some of its rounds.
//!
//! An engine says by which rule the unknowns of a loop grow. In the model as given the same rule holds, but there are other
//! variables and other inputs. Every number is a value plus multiples of the unknowns, so as many rounds as there are
//! unknowns tell the multiples. Nothing here is trusted: `confirm.rs` has the last word.

use lariat_expr::{Int, Rat, Value};
use lariat_system::{Decision, Growth, Next, Step};

/// A round of a lifted loop.
#[derive(Clone, Copy)]
pub struct Round<'r> {
    /// The values at its start.
    pub start: &'r [Value],
    /// Its steps.
    pub steps: &'r [Step],
}

/// How a loop grows from one of its rounds on; nothing if the rounds do not tell. `rounds` begins with the first round of
/// the engine's loop, which grows by `rule`.
pub fn fit(rule: &Growth, rounds: &[Round<'_>], first: usize) -> Option<Growth> {
    let n = rule.rule.len();
    let seen = rounds.get(first..=first + n)?;
    let unknowns: Vec<Vec<Int>> = rule.unknowns().skip(first).take(n + 1).collect();
    let next = unknowns.get(1)?;
    let rows = unknowns[1..].iter().map(|later| {
        let pairs = later.iter().zip(&unknowns[0]);
        pairs.map(|(later, now)| Rat::from(later - now)).collect()
    });
    let inverse = inverse(rows.collect())?;
    let rays = |values: &dyn Fn(&Round<'_>) -> Option<Rat>| -> Vec<Rat> {
        let Some(values) = seen.iter().map(values).collect::<Option<Vec<Rat>>>() else {
            return Vec::new();
        };
        let falls: Vec<Rat> = values[1..]
            .iter()
            .map(|later| minus(later, &values[0]))
            .collect();
        inverse.iter().map(|row| product(row, &falls)).collect()
    };
    let changes = rule.rule.iter().zip(next.iter().zip(&unknowns[0]));
    Some(Growth {
        rule: changes
            .map(|(own, (next, now))| Next {
                plus: next - now,
                times: own.times.clone(),
            })
            .collect(),
        state: (0..seen[0].start.len())
            .map(|i| rays(&|round| number(&round.start[i])))
            .collect(),
        decisions: (0..seen[0].steps.len())
            .map(|step| {
                let n_decisions = seen[0].steps[step].decisions.len();
                let of = |i: usize| rays(&|round| decided(round, step, i));
                (0..n_decisions).map(of).collect()
            })
            .collect(),
    })
}

/// The number that a decision gave.
fn decided(round: &Round<'_>, step: usize, index: usize) -> Option<Rat> {
    match round.steps.get(step)?.decisions.get(index)? {
        Decision::Value(value) => number(value),
        Decision::Branch(_) => None,
    }
}

fn number(value: &Value) -> Option<Rat> {
    match value {
        Value::Int(int) => Some(int.clone().into()),
        Value::Rat(rat) => Some(rat.clone()),
        _ => None,
    }
}

fn minus(left: &Rat, right: &Rat) -> Rat {
    left + &(right * &Rat::from(-&Int::ONE))
}

fn product(left: &[Rat], right: &[Rat]) -> Rat {
    let products = left.iter().zip(right).map(|(a, b)| a * b);
    products.fold(Int::ZERO.into(), |sum: Rat, product| &sum + &product)
}

/// The inverse of a matrix by elimination, if it has one.
fn inverse(mut rows: Vec<Vec<Rat>>) -> Option<Vec<Vec<Rat>>> {
    let n = rows.len();
    for (i, row) in rows.iter_mut().enumerate() {
        let unit = (0..n).map(|j| Rat::from(Int::from(i64::from(i == j))));
        row.extend(unit);
    }
    for at in 0..n {
        let pivot = (at..n).find(|&row| !rows[row][at].is_zero())?;
        rows.swap(at, pivot);
        let by = rows[at][at].clone();
        for entry in &mut rows[at] {
            *entry = entry.divide(&by);
        }
        let own = rows[at].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|&(row, _)| row != at) {
            let factor = row[at].clone();
            for (entry, own) in row.iter_mut().zip(&own) {
                *entry = minus(entry, &(&factor * own));
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rat(value: i64) -> Rat {
        Int::from(value).into()
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![vec![rat(1), rat(1)], vec![rat(2), rat(3)]];
        let found = inverse(matrix.clone()).expect("its determinant is 1");
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..2 {
                let column: Vec<Rat> = found.iter().map(|row| row[j].clone()).collect();
                assert_eq!(product(row, &column), rat(i64::from(i == j)));
            }
        }
        assert_eq!(
            inverse(vec![vec![rat(1), rat(2)], vec![rat(2), rat(4)]]),
            None
        );
    }

    #[test]
    fn numbers_that_grow_by_one_more_each_round() {
        // Unknowns 0 0, 1 1, 2 3, 3 6: the second grows by one more than the first has.
        let rule = Growth {
            rule: vec![
                Next {
                    plus: Int::ONE,
                    times: vec![Int::ONE, Int::ZERO],
                },
                Next {
                    plus: Int::ONE,
                    times: vec![Int::ONE, Int::ONE],
                },
            ],
            ..Growth::default()
        };
        let values: Vec<[Value; 1]> = [5, 8, 12, 17, 23]
            .map(|x| [Value::Int(Int::from(x))])
            .to_vec();
        let rounds: Vec<Round<'_>> = values
            .iter()
            .map(|start| Round { start, steps: &[] })
            .collect();
        // 5, 5 + 2 + 1, 5 + 2 · 2 + 3, …
        let fitted = fit(&rule, &rounds, 0).expect("three rounds tell two multiples");
        assert_eq!(fitted.state, [[rat(2), rat(1)]]);
        // From the second round on the unknowns start at 1 and 1.
        let later = fit(&rule, &rounds, 1).expect("so do three others");
        assert_eq!(later.state, [[rat(2), rat(1)]]);
        assert_eq!(later.rule[1].plus, Int::from(2));
        assert!(fit(&rule, &rounds, 3).is_none());
    }
}
