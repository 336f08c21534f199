//! What a series of finite cases came to.

use super::{Score, case};

/// What a series of cases came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub compared: u64,
    pub violated: u64,
    pub reach: u64,
    pub too_large: u64,
    pub walked: u64,
    /// Tasks that the whole pipeline decided, and how many of them have a counterexample.
    pub tasks: u64,
    pub refuted: u64,
    pub answers: u64,
    pub unknown: u64,
}

impl Tally {
    fn counts(&mut self) -> [&mut u64; 9] {
        [
            &mut self.compared,
            &mut self.violated,
            &mut self.reach,
            &mut self.too_large,
            &mut self.walked,
            &mut self.tasks,
            &mut self.refuted,
            &mut self.answers,
            &mut self.unknown,
        ]
    }

    /// The counts on one line, for [`read`](Self::read).
    fn line(mut self) -> String {
        self.counts().map(|count| count.to_string()).join(" ")
    }

    fn read(line: &str) -> Option<Self> {
        let mut tally = Self::default();
        let mut words = line.split(' ');
        for count in tally.counts() {
            *count = words.next()?.parse().ok()?;
        }
        Some(tally)
    }
}

impl Score for Tally {
    const ARGS: &'static [&'static str] = &[];

    fn compare(seed: u64) -> Result<String, String> {
        case::compare(seed).map(Self::line)
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let mut other = Self::read(line)?;
        for (sum, count) in self.counts().into_iter().zip(other.counts()) {
            *sum += *count;
        }
        Some(())
    }

    /// How many pairs were compared for the engines by themselves and for the pipeline.
    fn done(&self) -> u64 {
        self.compared.min(self.tasks)
    }

    fn unknown(&self) -> u64 {
        self.unknown
    }

    fn judge(&self) -> Result<(), String> {
        let Self {
            compared, violated, ..
        } = *self;
        let least = compared / 10;
        if violated < least || compared - violated < least {
            return Err(format!("only {violated} of {compared} pairs are violated"));
        }
        Ok(())
    }

    fn report(&self) -> String {
        let Self {
            compared,
            violated,
            reach,
            too_large,
            walked,
            tasks,
            refuted,
            answers,
            unknown,
        } = self;
        format!(
            "{compared} pairs compared ({violated} violated, {} hold; {reach} of them reachability) and \
             {tasks} tasks ({refuted} violated, {} hold) through the whole pipeline, {answers} answers \
             ({unknown} unknown)\n\
             {walked} counterexamples also found by walking lassos; {too_large} systems too large",
            compared - violated,
            tasks - refuted
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_survives_its_line() {
        let line = "1 2 3 4 5 6 7 8 9";
        assert_eq!(Tally::read(line).map(Tally::line).as_deref(), Some(line));
        assert!(Tally::read("1 2 3").is_none());
        assert!(Tally::read("seed 5: panicked").is_none());
    }
}
