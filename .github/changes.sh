#!/usr/bin/env bash
# Prints the section of a version in CHANGELOG.md, without its heading; fails if there is none. usage: .github/changes.sh 1.2.3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
awk -v version="$1" '
    /^## / { inside = $2 == version || $2 == "[" version "]"; found = found || inside; next }
    inside
    END { if (!found) { print "CHANGELOG.md has no section " version > "/dev/stderr"; exit 1 } }
' CHANGELOG.md
