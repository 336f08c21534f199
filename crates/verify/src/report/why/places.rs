//! Moments of a lasso as a person reads them: steps of the run that is shown.

use lariat_ltl::Moments;

/// So many places are named one by one.
const MAX_PLACES: usize = 5;

/// Which step of a run shows which letter of its word.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// For each position of the word, the stem and one round of the loop, the number of its step.
    pub steps: Vec<usize>,
    /// The first and the last step of the loop.
    pub round: (usize, usize),
}

impl Timeline {
    /// The number of the step after which the word has this position.
    pub fn step(&self, position: usize) -> usize {
        self.steps[position]
    }

    /// The number of the step that ends a prefix of so many letters; 0 if there is none.
    pub fn step_after(&self, n_letters: usize) -> usize {
        n_letters.checked_sub(1).map_or(0, |last| self.steps[last])
    }

    /// The loop, in words.
    pub(super) fn loop_words(&self) -> String {
        let (first, last) = self.round;
        let steps = match last - first {
            0 => format!("step {first}"),
            1 => format!("steps {first} and {last}"),
            _ => format!("steps {first} to {last}"),
        };
        format!("the loop ({steps})")
    }

    /// Where some moments are: `at step 5`, `in steps 5 to 7 and 9`, `in the loop (steps 8 to 12)`; at most one of the first
    /// kinds, and then the last.
    pub(super) fn places(&self, all: Moments, moments: &[usize]) -> Vec<String> {
        let mut positions: Vec<usize> = moments.iter().map(|&m| all.position(m)).collect();
        positions.sort_unstable();
        positions.dedup();
        let mut places = Vec::new();
        let whole = covers_loop(all, moments);
        if whole {
            positions.retain(|&position| all.round(position) == 0);
        }
        if let ([one], &[moment]) = (&*positions, moments)
            && all.round(moment) > 1
        {
            let (step, round) = (self.step(*one), all.round(moment));
            return vec![format!("at step {step} in round {round} of the loop")];
        }
        places.extend(self.list(&positions));
        if whole {
            places.push(format!("in {}", self.loop_words()));
        }
        places
    }

    /// Positions by the numbers of their steps.
    fn list(&self, positions: &[usize]) -> Option<String> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &position in positions {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == position => *last = position,
                _ => ranges.push((position, position)),
            }
        }
        let more = ranges.len().saturating_sub(MAX_PLACES);
        ranges.truncate(MAX_PLACES);
        let range = |&(first, last): &(usize, usize)| match last - first {
            0 => vec![self.step(first).to_string()],
            1 => vec![self.step(first).to_string(), self.step(last).to_string()],
            _ => vec![format!("{} to {}", self.step(first), self.step(last))],
        };
        let mut parts: Vec<String> = ranges.iter().flat_map(range).collect();
        if more > 0 {
            parts.push("others".into());
        }
        match &*parts {
            [] => None,
            [one] if !one.contains(' ') => Some(format!("at step {one}")),
            _ => Some(format!("in steps {}", listed(&parts))),
        }
    }
}

/// Whether moments are at all positions of the loop.
pub(super) fn covers_loop(all: Moments, moments: &[usize]) -> bool {
    let mut positions: Vec<usize> = moments
        .iter()
        .filter(|&&moment| all.round(moment) > 0)
        .map(|&moment| all.position(moment))
        .collect();
    positions.sort_unstable();
    positions.dedup();
    positions.len() == all.len() - all.loop_start()
}

/// `a, b and c`.
pub(super) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
