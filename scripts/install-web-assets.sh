#!/bin/sh
# Installs the libraries of the applications' pages into Apps/Sources/LocalApp/Resources/vendor (never committed):
# MapLibre GL JS 5.3.0, which draws maps, and D3 7.9.0, which draws charts. Wheels of PyPI carry them; digests are
# checked, so that the pages run exactly the files this project was tested with. Quick when they are already there.
# Before, it puts the modules of each page into one file: scripts/bundle-modules.py, which builds run, too.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
vendor="$root/Apps/Sources/LocalApp/Resources/vendor"

# By library: the files, as lines of `DIGEST  NAME  PATH-IN-THE-WHEEL`.
maplibre="e380deae560bc5d182be4124a1b9cdd5086304b0cb82c92a5af23d018aa81015  maplibre-gl.js  maplibre/srcjs/maplibre-gl.js
792ac997dcf6ae6f643eb4e2dee4630c85e7056526bd8fb85ffe83c67d6c41b4  maplibre-gl.css  maplibre/srcjs/maplibre-gl.css"
d3="f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539  d3.js  d3blocks/radialgraph/d3js/d3.v7.min.js"

fail() {
  printf 'install-web-assets: %s\n' "$1" >&2
  printf 'The pages work without it: the lists are complete, and the place of maps and charts says what is missing.\n' >&2
  exit 1
}

# installed FILES FOLDER: whether all files are there, with their digests.
installed() {
  printf '%s\n' "$1" | while read -r digest name _; do
    [ -f "$2/$name" ] && printf '%s  %s\n' "$digest" "$2/$name" | sha256sum --check --status || exit 1
  done
}

find_pip() {
  command -v python3 >/dev/null || fail "python3 is missing (Debian: apt-get install python3)."
  # Debian's own pip refuses to install (externally managed) but downloads; else a venv brings a pip.
  if python3 -m pip --version >/dev/null 2>&1; then
    python=python3
    return
  fi
  python="$root/.setup/venv/bin/python"
  [ -x "$python" ] || python3 -m venv "$root/.setup/venv" >"$work/venv.log" 2>&1 ||
    fail "neither pip nor venv works (Debian: apt-get install python3-venv)."
}

# install LIBRARY WHEEL SIZE FILES
install() {
  if installed "$4" "$vendor"; then
    echo "$1 is installed."
    return
  fi
  find_pip
  echo "Fetching $1 (PyPI $2, $3)..."
  rm -f "$work"/*.whl
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --retries 2 --timeout 20 --dest "$work" "$2" 2>"$work/pip.log" || {
    tail -n 1 "$work/pip.log" >&2
    fail "PyPI could not be reached. Run this script again when there is a network."
  }
  printf '%s\n' "$4" | python3 -c '
import pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
    for line in sys.stdin:
        _, name, path = line.split()
        (work / name).write_bytes(wheel.read(path))
' "$work" || fail "the wheel $2 does not hold what was expected."
  installed "$4" "$work" || fail "the files of $2 are not the ones this project was tested with (SHA-256 differs)."
  mkdir -p "$vendor"
  printf '%s\n' "$4" | while read -r _ name _; do
    cp "$work/$name" "$vendor/.$name.part" && mv "$vendor/.$name.part" "$vendor/$name" || exit 1
  done || fail "$vendor cannot be written."
  echo "Installed $1 in Apps/Sources/LocalApp/Resources/vendor."
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
"$root/scripts/bundle-modules.py"
install "MapLibre GL JS 5.3.0" "maplibre==0.3.6" "1.4 MB" "$maplibre"
install "D3 7.9.0" "d3blocks==2.3.2" "13 MB" "$d3"
