# Runs SwiftPM for a package beside the root one. Sourced by bash after common.sh, not run.
#
# All packages of the repository are built in one folder, .build or SWIFTPM_BUILD_DIR, so that what they share is
# compiled once: docs/decisions/0045-applications-as-a-package.md.

scratch="${SWIFTPM_BUILD_DIR:-$root/.build}"

# SwiftPM keeps the plan of a build there, takes it up for another package, too, and compares it only with the files of
# the package that it was made for, not with those of the root package.
forget_plan() { rm -f "$scratch/debug.yaml" "$scratch/release.yaml"; }

# Other versions in one folder would be checked out and compiled anew at each change of the package.
take_versions() {
  if [[ ! -e Package.resolved || $1/Package.resolved -nt Package.resolved ]]; then return; fi
  python3 - Package.resolved "$1/Package.resolved" <<'PYTHON'
import json, os, pathlib, sys
ours, theirs = map(pathlib.Path, sys.argv[1:])
taken = json.loads(ours.read_text(encoding="utf-8"))
known = {pin["identity"] for pin in taken["pins"]}
resolved = json.loads(theirs.read_text(encoding="utf-8")) if theirs.exists() else taken
resolved["pins"] = taken["pins"] + [pin for pin in resolved["pins"] if pin["identity"] not in known]
# Another build may read it at the same time.
written = theirs.with_name(f".Package.resolved.{os.getpid()}")
written.write_text(json.dumps(resolved, indent=2), encoding="utf-8")
written.replace(theirs)
PYTHON
}

# A command for another package strikes this one's dependencies off the list, and without it SwiftPM would ask the
# network for new versions. $1 is the list of the package.
keep_dependencies() { if [[ -e $scratch/workspace-state.json ]]; then cp "$scratch/workspace-state.json" "$1"; fi; }
take_dependencies() { if [[ -e $1 ]]; then cp "$1" "$scratch/workspace-state.json"; fi; }

# Runs the command $2 of SwiftPM, with the arguments behind it, for the package in the folder $1.
swift_beside() (
  list="$scratch/${1,,}-state.json"
  take_versions "$1"
  take_dependencies "$list"
  forget_plan
  trap 'forget_plan; keep_dependencies "$list"' EXIT
  set_build_options "$2"
  swift "$2" --package-path "$1" --scratch-path "$scratch" "${build_options[@]}" "${@:3}"
)
