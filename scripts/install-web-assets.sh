#!/bin/sh
# Installs MapLibre GL JS 5.3.0 for the pages of the applications into Apps/Sources/LocalApp/Resources/vendor (never
# committed). The PyPI wheel maplibre 0.3.6 carries it; sizes and digests are checked, so that the
# page runs exactly the file this project was tested with. Quick when it is already there.
set -eu

wheel="maplibre==0.3.6"
version="maplibre-gl-js/blob/v5.3.0/"
js_sha256="e380deae560bc5d182be4124a1b9cdd5086304b0cb82c92a5af23d018aa81015"
css_sha256="792ac997dcf6ae6f643eb4e2dee4630c85e7056526bd8fb85ffe83c67d6c41b4"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
vendor="$root/Apps/Sources/LocalApp/Resources/vendor"

installed() {
  [ -f "$vendor/maplibre-gl.js" ] && [ -f "$vendor/maplibre-gl.css" ] &&
    printf '%s  %s\n%s  %s\n' "$js_sha256" "$vendor/maplibre-gl.js" \
      "$css_sha256" "$vendor/maplibre-gl.css" | sha256sum --check --status
}

fail() {
  printf 'install-web-assets: %s\n' "$1" >&2
  printf 'The page works without it: the list is complete, and the map says what is missing.\n' >&2
  exit 1
}

if installed; then
  echo "MapLibre GL JS 5.3.0 is installed."
  exit 0
fi

command -v python3 >/dev/null || fail "python3 is missing (Debian: apt-get install python3)."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# Debian's own pip refuses to install (externally managed) but downloads; else a venv brings a pip.
if python3 -m pip --version >/dev/null 2>&1; then
  python=python3
else
  python="$root/.setup/venv/bin/python"
  [ -x "$python" ] || python3 -m venv "$root/.setup/venv" >"$work/venv.log" 2>&1 ||
    fail "neither pip nor venv works (Debian: apt-get install python3-venv)."
fi

echo "Fetching MapLibre GL JS 5.3.0 (PyPI $wheel, 1.4 MB)..."
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --retries 2 --timeout 20 --dest "$work" "$wheel" 2>"$work/pip.log" || {
  tail -n 1 "$work/pip.log" >&2
  fail "PyPI could not be reached. Run this script again when there is a network."
}

python3 - "$work" <<'PYTHON' || fail "the wheel does not hold what was expected."
import pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(work.glob("maplibre-*.whl"))) as wheel:
    for name in ("maplibre-gl.js", "maplibre-gl.css"):
        (work / name).write_bytes(wheel.read("maplibre/srcjs/" + name))
PYTHON

head -c 400 "$work/maplibre-gl.js" | grep -q "$version" || fail "the wheel holds another version."
mkdir -p "$vendor"
for name in maplibre-gl.js maplibre-gl.css; do
  cp "$work/$name" "$vendor/.$name.part" && mv "$vendor/.$name.part" "$vendor/$name"
done
installed || {
  rm -f "$vendor/maplibre-gl.js" "$vendor/maplibre-gl.css"
  fail "the files are not the ones this project was tested with (SHA-256 differs)."
}
echo "Installed MapLibre GL JS 5.3.0 in Apps/Sources/LocalApp/Resources/vendor."
