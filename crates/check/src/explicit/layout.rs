//! How a state becomes bits: one field per number, as narrow as the numbers seen so far allow.
//!
//! A Boolean takes one bit, an enumeration as many as its literals need, an integer as many as its
//! declared range needs. An integer without a range starts with eight bits and doubles them when a
//! value does not fit; whoever stores states then packs them anew. So the declared range is a
//! guess, never a promise: a value outside it costs time, not correctness.
//!
//! A field does not cross a word, which keeps packing free of cases; fields are put into the first
//! word with room. Rejected: 64 bits for every integer (a state of ten counters is then 80 bytes), and
//! variable-length encodings (states must be compared and hashed as plain words).

/// Which numbers a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Width {
    /// The least number.
    low: i64,
    /// How many bits above it; 64 means every number.
    bits: u32,
}

impl Width {
    /// Numbers that nothing is known about.
    pub const UNKNOWN: Self = Self::signed(8);
    /// Positions in a table that grows.
    pub const GROWING: Self = Self { low: 0, bits: 8 };

    /// `low..=high`.
    pub fn range(low: i64, high: i64) -> Self {
        let bits = u64::BITS - high.wrapping_sub(low).cast_unsigned().leading_zeros();
        Self { low, bits }
    }

    /// Numbers around zero, with more room above than below.
    const fn signed(bits: u32) -> Self {
        let low = if bits == 64 { 0 } else { -(1 << (bits - 2)) };
        Self { low, bits }
    }

    /// The bits of a field at the low end of a word.
    fn mask(self) -> u64 {
        match self.bits {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    fn encode(self, number: i64) -> Option<u64> {
        let offset = number.wrapping_sub(self.low).cast_unsigned();
        (self.bits == 64 || offset >> self.bits == 0).then_some(offset)
    }

    /// A wider field that also holds `number`.
    fn widened(self, number: i64) -> Self {
        let wider = [8, 16, 32, 64].into_iter().filter(|&bits| bits > self.bits);
        let unsigned = |bits| Self { low: 0, bits };
        wider
            .flat_map(|bits| {
                [
                    (self.low >= 0).then(|| unsigned(bits)),
                    Some(Self::signed(bits)),
                ]
            })
            .flatten()
            .find(|width| width.encode(number).is_some() && width.covers(self))
            .expect("64 bits hold every number")
    }

    fn covers(self, other: Self) -> bool {
        let high = other.low.wrapping_add(((1u128 << other.bits) - 1) as i64);
        self.bits == 64 || (self.encode(other.low).is_some() && self.encode(high).is_some())
    }
}

/// The numbers of a state, in two parts so that whoever has them in two places need not copy them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a> {
    pub head: &'a [i64],
    pub rest: &'a [i64],
}

impl Numbers<'_> {
    pub fn get(self, i: usize) -> i64 {
        match i.checked_sub(self.head.len()) {
            None => self.head[i],
            Some(i) => self.rest[i],
        }
    }
}

impl<'a> From<&'a [i64]> for Numbers<'a> {
    fn from(head: &'a [i64]) -> Self {
        Self { head, rest: &[] }
    }
}

/// Where a field lies.
#[derive(Clone, Copy, Debug)]
struct Field {
    width: Width,
    word: u32,
    shift: u32,
}

impl Field {
    fn read(self, words: &[u64]) -> i64 {
        let bits = words[self.word as usize] >> self.shift & self.width.mask();
        bits.cast_signed().wrapping_add(self.width.low)
    }
}

/// The fields of a state.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    n_words: usize,
}

impl Layout {
    /// Fields of these widths.
    pub fn new(widths: &[Width]) -> Self {
        let mut used: Vec<u32> = vec![0];
        let mut fields = Vec::with_capacity(widths.len());
        for &width in widths {
            let room = used.iter().position(|used| used + width.bits <= u64::BITS);
            let word = room.unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            fields.push(Field {
                width,
                word: word as u32,
                // A field without bits may come behind a full word.
                shift: used[word].min(u64::BITS - 1),
            });
            used[word] += width.bits;
        }
        Self {
            fields,
            n_words: used.len(),
        }
    }

    /// How many numbers a state has.
    pub fn n_fields(&self) -> usize {
        self.fields.len()
    }

    /// How many words a packed state takes, at least one.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// Writes the numbers into `words`; the position of the first number that does not fit, if any.
    pub fn pack(&self, numbers: Numbers<'_>, words: &mut [u64]) -> Result<(), usize> {
        words.fill(0);
        for (i, field) in self.fields.iter().enumerate() {
            let bits = field.width.encode(numbers.get(i)).ok_or(i)?;
            words[field.word as usize] |= bits << field.shift;
        }
        Ok(())
    }

    /// Writes only the numbers at these positions into a packed state; fails as [`pack`](Self::pack) does.
    pub fn update(
        &self,
        positions: &[u32],
        numbers: Numbers<'_>,
        words: &mut [u64],
    ) -> Result<(), usize> {
        for &i in positions {
            let (i, field) = (i as usize, self.fields[i as usize]);
            let bits = field.width.encode(numbers.get(i)).ok_or(i)?;
            let word = &mut words[field.word as usize];
            *word = *word & !(field.width.mask() << field.shift) | bits << field.shift;
        }
        Ok(())
    }

    /// Reads the numbers back.
    pub fn unpack(&self, words: &[u64], numbers: &mut [i64]) {
        for (field, number) in self.fields.iter().zip(numbers) {
            *number = field.read(words);
        }
    }

    /// The number of one field.
    pub fn number(&self, words: &[u64], i: usize) -> i64 {
        self.fields[i].read(words)
    }

    /// The layout in which field `i` holds `number` too.
    pub fn widened(&self, i: usize, number: i64) -> Self {
        let mut widths: Vec<Width> = self.fields.iter().map(|field| field.width).collect();
        widths[i] = widths[i].widened(number);
        Self::new(&widths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::Rng;

    #[test]
    fn what_is_packed_is_unpacked_whatever_the_widths() {
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let n = 1 + rng.below(12) as usize;
            let number = |rng: &mut Rng| {
                let bits = rng.below(65);
                let random = rng.bits().cast_signed();
                if bits == 0 { 0 } else { random >> (64 - bits) }
            };
            let widths: Vec<Width> = (0..n)
                .map(|_| match rng.below(4) {
                    0 => Width::UNKNOWN,
                    1 => Width::GROWING,
                    _ => {
                        let (a, b) = (number(&mut rng), number(&mut rng));
                        Width::range(a.min(b), a.max(b))
                    }
                })
                .collect();
            let mut layout = Layout::new(&widths);
            let mut seen: Vec<Vec<i64>> = Vec::new();
            for _ in 0..8 {
                let numbers: Vec<i64> = (0..n).map(|_| number(&mut rng)).collect();
                let mut words = vec![0; layout.n_words()];
                while let Err(i) = layout.pack(numbers[..].into(), &mut words) {
                    layout = layout.widened(i, numbers[i]);
                    words = vec![0; layout.n_words()];
                }
                let some: Vec<u32> = (0..n as u32).filter(|_| rng.below(2) == 0).collect();
                let mut changed = seen.last().cloned().unwrap_or_else(|| numbers.clone());
                let mut updated = vec![0; layout.n_words()];
                assert_eq!(
                    layout.pack(changed[..].into(), &mut updated),
                    Ok(()),
                    "seed {seed}"
                );
                assert_eq!(
                    layout.update(&some, numbers[..].into(), &mut updated),
                    Ok(())
                );
                for &i in &some {
                    changed[i as usize] = numbers[i as usize];
                }
                let mut back = vec![0; n];
                layout.unpack(&updated, &mut back);
                assert_eq!(back, changed, "seed {seed}");
                seen.push(numbers);
                for numbers in &seen {
                    let mut words = vec![0; layout.n_words()];
                    let mut back = vec![0; n];
                    assert_eq!(
                        layout.pack(numbers[..].into(), &mut words),
                        Ok(()),
                        "seed {seed}"
                    );
                    layout.unpack(&words, &mut back);
                    assert_eq!(&back, numbers, "seed {seed}");
                    assert_eq!(layout.number(&words, n - 1), numbers[n - 1]);
                }
            }
        }
    }

    #[test]
    fn small_sorts_take_few_bits() {
        let bits = |width: Width| width.bits;
        assert_eq!(bits(Width::range(0, 1)), 1);
        assert_eq!(bits(Width::range(0, 4)), 3);
        assert_eq!(bits(Width::range(-5, -5)), 0);
        assert_eq!(bits(Width::range(i64::MIN, i64::MAX)), 64);
        let sixteen = vec![Width::range(0, 15); 16];
        assert_eq!(Layout::new(&sixteen).n_words(), 1);
    }
}
