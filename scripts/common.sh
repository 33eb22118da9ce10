# Words and checks that the scripts share. Sourced by bash, not run.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

# Says what is happening.
say() { printf '\n== %s\n' "$*"; }

# Says what is wrong and what to do, and ends the script.
fail() {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

# Swift itself is not installed by the set-up: people have it in many ways.
require_swift() {
  command -v swift >/dev/null ||
    fail "Swift is missing. Install 6.3 or newer: https://www.swift.org/install"
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p')
  read -r major minor <<<"${version:-0 0}"
  ((major > 6 || (major == 6 && minor >= 3))) ||
    fail "Swift ${major}.${minor} is too old, 6.3 or newer is needed: https://www.swift.org/install"
}

# The folder that a build of the given configuration writes its programs to.
products() { swift build --configuration "$1" --show-bin-path; }
