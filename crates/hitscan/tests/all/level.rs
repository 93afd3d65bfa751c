//! The example `level`: its picture is that of `docs/games.md`, on every machine.

#[path = "../../examples/level.rs"]
#[allow(dead_code)]
mod example;

/// `HITSCAN_UPDATE=1 cargo test -p hitscan --test all level` writes the picture.
#[test]
fn the_picture_of_the_level() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/level.svg");
    let picture = example::picture().unwrap();
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        std::fs::write(path, &picture).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == picture, "docs/level.svg is not the picture of the example");
}
