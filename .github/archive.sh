#!/usr/bin/env bash
# Packs the program of a target, its manual pages and completions into target/dist/, under the name by which `cargo binstall`
# looks for it (crates/hitscan-cli/Cargo.toml). On Linux `cargo deb` makes a package of Debian from the same files.
# usage: .github/archive.sh TARGET, after `cargo build --release -p hitscan-cli --target TARGET`
set -euo pipefail
target=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=target/$target/release
program=$built/hitscan
[[ $target == *windows* ]] && program+=.exe

mkdir -p "$built/share/completions"
"$program" man --out-dir "$built/share/man"
"$program" completions bash > "$built/share/completions/hitscan.bash"
"$program" completions fish > "$built/share/completions/hitscan.fish"
"$program" completions powershell > "$built/share/completions/hitscan.ps1"
"$program" completions zsh > "$built/share/completions/_hitscan"

folder=hitscan-$target
rm -rf "target/dist/$folder"
mkdir -p "target/dist/$folder"
cp -R "$program" "$built/share/man" "$built/share/completions" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT \
    "target/dist/$folder"
cd target/dist
if [[ $target == *windows* ]]; then
    7z a -bso0 "$folder.zip" "$folder"
else
    tar -czf "$folder.tgz" "$folder"
fi
rm -rf "$folder"
