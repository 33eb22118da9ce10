"""Item 5: `make install` into a folder, the programs from there, and `make uninstall`."""

import pathlib
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from .lines import APPLICATIONS, ROOT, check, run

MARK = "<!-- the installed page -->"
# The shared libraries of the Debian packages that the image may install, by the names that programs load.
LIBRARIES = {
    "libcurl4": {"libcurl.so.4"},
    "libpq5": {"libpq.so.5"},
    "libsqlite3-0": {"libsqlite3.so.0"},
    "libssl3": {"libcrypto.so.3", "libssl.so.3"},
    "zlib1g": {"libz.so.1"},
}
# Packages that the image installs for their files.
FILES = {"ca-certificates", "tzdata"}
# The libraries of every Debian system.
SYSTEM = re.compile(r"^(?:lib(?:c|m|dl|rt|pthread|gcc_s|stdc\+\+|resolv|util)\.so|linux-vdso|/lib|ld-linux)")
PRIVATE = "libexec/openswiftdata"


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def install(scene, prefix, *words, destination=""):
    status, _ = run(("scripts/install", *words), scene.log("install"), PREFIX=prefix, DESTDIR=destination)
    check(status == 0, f"scripts/install {' '.join(words)} failed; see {scene.log('install')}")


def image_packages(text):
    """The packages that the last stage of a Dockerfile installs."""
    stage = re.split(r"^FROM ", text.replace("\\\n", " "), flags=re.MULTILINE)[-1]
    packages = set()
    for words in re.findall(r"\bapt-get install\b([^&;|\n]*)", stage):
        packages |= {word for word in words.split() if not word.startswith("-")}
    return packages


def library_problems(packages, needed):
    """The faults between the packages of an image and the libraries that its programs need, by their names."""
    unknown = packages - set(LIBRARIES) - FILES
    found = [f"the Dockerfile installs {package}, whose libraries aren't known here" for package in sorted(unknown)]
    loaded = set().union(*needed.values())
    provided = set().union(*(LIBRARIES.get(package, set()) for package in packages))
    for name, libraries in needed.items():
        others = sorted(library for library in libraries - provided if not SYSTEM.match(library))
        if others:
            found.append(f"{name} loads {', '.join(others)}, which no package of the Dockerfile has")
    found += [f"the Dockerfile installs {package}, which no program needs"
              for package in sorted(packages & set(LIBRARIES)) if not LIBRARIES[package] & loaded]
    return found


def needed_libraries(program):
    """The shared libraries that a program names."""
    direct = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", direct))


def check_libraries(programs):
    packages = image_packages((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    problems = library_problems(packages, {program.name: needed_libraries(program) for program in programs})
    check(not problems, "; ".join(problems))


def check_program(target, name):
    """The program runs from the folder `/`, and has no symbols."""
    program = target / "bin" / name
    done = subprocess.run([program, "--version"], cwd="/", capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{name}: {done.stderr.strip()[-200:]}")
    sections = subprocess.run(["readelf", "--sections", program], capture_output=True, text=True, check=True).stdout
    check(".symtab" not in sections and ".debug_info" not in sections, f"{name} isn't stripped")
    bash = target / "share/bash-completion/completions" / name
    check(subprocess.run(["bash", "-n", bash], check=False).returncode == 0 and bash.stat().st_size, f"{bash}")
    for file in (f"zsh/site-functions/_{name}", f"fish/vendor_completions.d/{name}.fish"):
        check((target / "share" / file).stat().st_size > 0, f"{file} is empty")


def check_pages(target):
    """The pages of the manual have no faults; how many there are."""
    pages = sorted((target / "share/man/man1").glob("*.1"))
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", *pages], capture_output=True, text=True, check=False)
        check(not done.stderr, f"the manual: {done.stderr.strip()[:300]}")
    return len(pages)


def check_server(scene, target):
    """Quakes serves the installed page, seen by a mark in it, and the health check of the image sees it."""
    private = target / PRIVATE
    index = private / "OpenSwiftDataApps_quakes.resources" / "web" / "index.html"
    index.write_text(index.read_text(encoding="utf-8") + MARK, encoding="utf-8")
    feed, port = scene.folder("served") / "feed.json", free_port()
    feed.write_text('{"type": "FeatureCollection", "features": []}', encoding="utf-8")
    words = ("serve", "--port", str(port), "--feed", feed, "--store", feed.with_name("quakes.store"))
    healthy = {"QUAKES_PORT": str(port), "PATH": "/usr/bin:/bin"}
    with open(scene.log("served"), "wb") as log:
        server = subprocess.Popen([target / "bin" / "quakes", *words], cwd="/", stdout=log, stderr=log)
    try:
        for _ in range(100):
            if subprocess.run([private / "is-healthy"], env=healthy, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            check(False, f"is-healthy doesn't find the server; see {scene.log('served')}")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            check(MARK in answer.read().decode(), "the page isn't the installed one")
    finally:
        server.terminate()
        ended = server.wait(30)
    check(ended == 0, f"quakes serve ended with {ended}")
    found = subprocess.run([private / "is-healthy"], env=healthy, capture_output=True, check=False).returncode
    check(found != 0, "is-healthy finds a server that has ended")


def check_unit(target):
    if not shutil.which("systemd-analyze"):
        return "systemd-analyze isn't here"
    unit = target / "lib/systemd/system/quakes.service"
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and not done.stderr, f"the unit: {done.stderr.strip()[:300]}")
    return "systemd-analyze has nothing to say"


def figure(scene):
    target = scene.folder("installed") / "usr"
    install(scene, target)
    for name in APPLICATIONS:
        check_program(target, name)
    check_libraries([target / "bin" / name for name in APPLICATIONS])
    pages, unit = check_pages(target), check_unit(target)
    check_server(scene, target)
    size = sum((target / PRIVATE / name).stat().st_size for name in APPLICATIONS) / 1e6
    install(scene, target, "uninstall")
    check(not target.exists() or not list(target.iterdir()), f"left behind: {list(target.rglob('*'))[:5]}")
    # As for a package: the files are elsewhere, and name the prefix.
    destination = scene.folder("destination")
    install(scene, pathlib.Path("/usr"), destination=destination)
    unit_text = (destination / "usr/lib/systemd/system/quakes.service").read_text(encoding="utf-8")
    check("ExecStart=/usr/bin/quakes serve" in unit_text, "with DESTDIR, the unit names another program")
    check(f"{destination}" not in unit_text, "the unit names DESTDIR")
    install(scene, pathlib.Path("/usr"), "uninstall", destination=destination)
    check(not list((destination / "usr").glob("*")), "with DESTDIR, uninstall leaves files")
    return f"two programs, {size:.0f} MB, {pages} pages of the manual; the installed page is served from /; {unit}"
