//! Fields of tables that spreadsheets read (RFC 4180).

/// A field, in quotes if it needs them.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
