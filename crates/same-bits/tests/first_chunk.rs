//! The first chunk of every subject: tests are compiled with assertions and by other optimisations, and have the digests of the
//! release build.

#[test]
fn digests_are_those_of_the_release_build() {
    let expected = include_str!("../expected.txt");
    assert_eq!(expected.lines().count(), same_bits::SUBJECTS as usize);
    for (subject, line) in (0..).zip(expected.lines()) {
        let (name, digest) = (same_bits::name(subject), same_bits::chunk(subject, 0));
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..2], [name, format!("{digest:016x}")], "expected.txt, line {}", subject + 1);
    }
}
