#!/usr/bin/env python3
"""Makes one file of the JavaScript modules of each page, so that a page over a slow line waits for one answer instead
of fifty. The files are in Apps/Sources/PROGRAM/Resources/web/bundle, which is never committed:

    main.js       all modules that the page loads, by esbuild (Debian: apt-get install esbuild)
    index.html    the page that loads it
    tags.json     the entity tags of the files that both were made from, and of both, by path

The program compares the tags with its own when it starts, and gives the page with separate modules when one differs or
is missing: docs/decisions/0060-one-file-of-modules.md. Files that are as they should be aren't written again.

    scripts/bundle-modules.py          when esbuild is missing, says so and makes nothing
    scripts/bundle-modules.py --quiet  without a word, except on failures
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Apps/Sources"
SHARED = SOURCES / "LocalApp/Resources/web"
#: By program: the modules that it makes itself when it starts, which stay separate.
PROGRAMS = {"quakes": ["place-names.js"], "landmarks": []}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def entity_tag(data):
    """As HTTPContent's ContentHash makes it: FNV-1a of 64 bits, in base 36."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    text = ""
    while value:
        value, digit = divmod(value, 36)
        text = DIGITS[digit] + text
    return f'"{text or 0}"'


def bundled(page, made):
    """The page with one module instead of the separate ones; those that the program makes are asked for at once."""
    kept = tuple(f'href="/js/{name}"' for name in made)
    lines = [line for line in page.splitlines(keepends=True)
             if 'rel="modulepreload"' not in line or any(name in line for name in kept)]
    text, count = re.subn(r'(<script type="module" src=")/js/main\.js(")', r"\1/bundle/main.js\2", "".join(lines))
    if count != 1:
        raise SystemExit("bundle-modules: a page has another number of scripts than one, /js/main.js.")
    return re.sub(r"\n *<!--.*?-->", "", text, flags=re.DOTALL)


def bundle(modules, made, work):
    """The text of all modules in one, and the names of those in it."""
    source = work / "js"
    source.mkdir()
    for name, file in modules.items():
        shutil.copyfile(file, source / name)
    for name in made:
        # A path relative to the file that is made comes from one that exists.
        (source / name).touch()
    subprocess.run(
        ["esbuild", "js/main.js", "--bundle", "--format=esm", "--minify", "--charset=utf8", "--log-level=warning",
         "--outfile=bundle/main.js", "--metafile=facts.json", *(f"--external:./js/{name}" for name in made)],
        cwd=work, check=True)
    inputs = json.loads((work / "facts.json").read_text(encoding="utf-8"))["inputs"]
    return (work / "bundle/main.js").read_bytes(), sorted(pathlib.PurePath(path).name for path in inputs)


def write(file, data):
    """In one step, and only what differs, since SwiftPM copies newer files again."""
    if file.is_file() and file.read_bytes() == data:
        return
    part = file.with_name(f".{file.name}.part")
    part.write_bytes(data)
    part.replace(file)


def make(program, made, work):
    web = SOURCES / program / "Resources/web"
    # A page's own file hides a shared one of the same name, as in the program.
    modules = {file.name: file for folder in (SHARED, web) for file in sorted((folder / "js").glob("*.js"))}
    script, names = bundle(modules, made, work)
    index = (web / "index.html").read_bytes()
    page = bundled(index.decode(), made).encode()
    tags = {"/index.html": entity_tag(index), "/bundle/main.js": entity_tag(script),
            "/bundle/index.html": entity_tag(page),
            **{f"/js/{name}": entity_tag(modules[name].read_bytes()) for name in names}}
    folder = web / "bundle"
    folder.mkdir(exist_ok=True)
    write(folder / "main.js", script)
    write(folder / "index.html", page)
    write(folder / "tags.json", (json.dumps(tags, indent=1) + "\n").encode())


def main(arguments):
    is_quiet = arguments == ["--quiet"]
    if arguments and not is_quiet:
        raise SystemExit("usage: scripts/bundle-modules.py [--quiet]")
    if shutil.which("esbuild") is None:
        if not is_quiet:
            print("esbuild is missing (Debian: apt-get install esbuild); the pages load their modules one by one.")
        return
    for program, made in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as work:
            try:
                make(program, made, pathlib.Path(work))
            except (subprocess.CalledProcessError, OSError) as error:
                raise SystemExit(f"bundle-modules: no file of the modules of {program}: {error}") from error
    if not is_quiet:
        print("The modules of each page are in one file, Apps/Sources/*/Resources/web/bundle/main.js.")


if __name__ == "__main__":
    main(sys.argv[1:])
