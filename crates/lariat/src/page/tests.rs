//! What goes into a page comes out as it was, and means nothing on the way. Whole pages are tested in a browser
//! (`tests/report_page.rs`).

use super::{SCRIPT, STYLE, TEMPLATE, escape, fill, source_hash};

#[test]
fn what_is_filled_in_is_not_filled_again() {
    let parts = [
        ("data", "{{script}}"),
        ("script", "run()"),
        ("plain", "{{data}}"),
    ];
    let page = fill(TEMPLATE, &parts);
    assert!(page.contains("id=\"data\">{{script}}</script>"), "{page}");
    assert!(page.contains("<script>run()</script>"), "{page}");
    assert!(page.contains("{{data}}</noscript>"), "{page}");
}

#[test]
fn markup_becomes_text() {
    assert_eq!(
        escape("<a href='x'>&\"</a>"),
        "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
    );
}

#[test]
fn a_policy_names_texts_by_their_digests() {
    // The digest of no bytes, from FIPS 180-4, in base 64.
    assert_eq!(
        source_hash(""),
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    );
}

#[test]
fn nothing_of_our_own_ends_its_element_early() {
    assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    assert!(!STYLE.contains("</style"));
    // Texts of models must not become markup.
    for way in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ] {
        assert!(!SCRIPT.contains(way), "{way}");
    }
}
