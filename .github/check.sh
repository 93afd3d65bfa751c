#!/usr/bin/env bash
# Checks the files that the code host and its services read. It needs the tools of .github/requirements.txt and no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/{build-problem,feature,wrong-answer}.yml
check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
zizmor --offline --pedantic .github
