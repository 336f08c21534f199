//! The arguments of a series of random cases: how many, and from which seed.

/// A series of cases.
pub struct Series<'a> {
    /// How many.
    pub n: u64,
    /// The seed of the first; each case has the next one.
    pub first: u64,
    /// The arguments that are about something else.
    pub others: Vec<&'a str>,
}

impl<'a> Series<'a> {
    /// Reads `--n N` (`n` if not given) and `--seed S` (0 if not given).
    pub fn parse(args: &'a [String], n: u64) -> Result<Self, String> {
        let mut series = Self {
            n,
            first: 0,
            others: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut number = || {
                let text = args.next().ok_or(format!("{arg} needs a number"))?;
                text.parse().map_err(|_| format!("{text} is no number"))
            };
            match arg.as_str() {
                "--n" => series.n = number()?,
                "--seed" => series.first = number()?,
                other => series.others.push(other),
            }
        }
        Ok(series)
    }
}
