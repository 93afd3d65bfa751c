#!/usr/bin/env bash
# Fails unless a tag names the version of the manifests, the changelog has a section for it, and the address of the repository is
# known. usage: .github/version.sh v1.2.3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
if [[ $1 != "v$version" ]]; then
    echo "the tag is $1, the version $version" >&2
    exit 1
fi
.github/changes.sh "$version" > /dev/null
if grep -n '^## .*(not released)' CHANGELOG.md; then
    echo "the changelog says that this version is not released: write the date" >&2
    exit 1
fi
if git grep -n 'https://example[.]invalid' -- ':!xtask'; then
    echo "the address of the repository is a placeholder: docs/release.md replaces it" >&2
    exit 1
fi
