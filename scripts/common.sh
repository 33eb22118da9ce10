# Functions that the scripts share. Sourced by bash, not run.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

# Prints a progress line; in continuous integration, with the minutes and seconds since its start.
say() {
  local since="${OPENSWIFTDATA_CI_START:-}"
  if [[ -n $since ]]; then
    since=$((EPOCHSECONDS - since))
    printf '\n== %02d:%02d %s\n' $((since / 60)) $((since % 60)) "$*"
  else
    printf '\n== %s\n' "$*"
  fi
}

# Prints a problem with its remedy, and ends the script.
fail() {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit 1
}

# The set-up doesn't install Swift itself: there are many ways to install it.
require_swift() {
  command -v swift >/dev/null ||
    fail "Swift is missing. Install 6.3 or newer: https://www.swift.org/install"
  local version
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p')
  read -r major minor <<<"${version:-0 0}"
  ((major > 6 || (major == 6 && minor >= 3))) ||
    fail "Swift ${major}.${minor} is too old, 6.3 or newer is needed: https://www.swift.org/install"
}

# Sets `build_options` to the options with which every build of the repository runs the command $1 of SwiftPM: other
# ones would compile everything anew. The index of the system's own modules, which the compiler writes otherwise, is a
# sixth of a build. Debug information, which debuggers and the line numbers of backtraces need, is a tenth; a build has
# it with `OPENSWIFTDATA_DEBUG_INFO=1`. `OPENSWIFTDATA_MACROS` is the path of the macros' plugin, which the manifest
# reads, too; `package` for SwiftPM's own build of it; by default that of scripts/macros, where there is one.
set_build_options() {
  build_options=()
  case "$1" in
    # `package`: for the build of a plugin's command, as generate-documentation.
    build | test | run | package)
      build_options=(-Xswiftc -index-ignore-system-modules)
      [[ -n ${OPENSWIFTDATA_DEBUG_INFO:-} ]] || build_options+=(-debug-info-format none)
      if [[ -z ${OPENSWIFTDATA_MACROS:-} ]]; then
        OPENSWIFTDATA_MACROS=$(scripts/macros) || OPENSWIFTDATA_MACROS=package
      fi
      export OPENSWIFTDATA_MACROS
      if [[ $OPENSWIFTDATA_MACROS != package ]]; then
        build_options+=(-Xswiftc -load-plugin-library -Xswiftc "$OPENSWIFTDATA_MACROS")
      fi
      ;;
  esac
}

# The folder that a build of the given configuration writes its programs to.
products() { swift build --configuration "$1" --show-bin-path; }

# Waits until the program that writes to file $1 prints its address; $2 is its process.
address() {
  local line
  touch "$1"
  for _ in {1..300}; do
    line=$(sed -nE 's/^listening on ([^ ]+).*/\1/p' "$1")
    if [[ -n $line ]]; then
      printf '%s' "${line%/}"
      return
    fi
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  cat "$1" >&2
  return 1
}

# A word as a shell reads it, for commands that are printed.
quoted() { printf '%q' "$1"; }

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
