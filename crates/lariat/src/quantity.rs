//! Times and sizes as they are written on the command line: `20s`, `5m`, `4GiB`.

use std::time::Duration;

/// A time with its unit.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let seconds = quantity(text, &units);
    let seconds = seconds.ok_or("write a time as `500ms`, `20s`, `5m` or `1h`")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A size in bytes with its unit.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let units = [("MiB", 1024.0 * 1024.0), ("GiB", 1024.0 * 1024.0 * 1024.0)];
    let bytes = quantity(text, &units).ok_or("write a size as `500MiB` or `4GiB`")?;
    #[expect(clippy::cast_sign_loss, reason = "quantities are not negative")]
    Ok(bytes as u64)
}

/// A non-negative number times the factor of its unit.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let factor = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_needed() {
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        for bad in ["20", "s", "-1s", "", "3 weeks"] {
            assert!(
                parse_time(bad).is_err() && parse_size(bad).is_err(),
                "{bad}"
            );
        }
    }
}
