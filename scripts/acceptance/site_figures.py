"""Item 7: the documentation site and the blocks of code in it, in numbers that are judged one by one."""

import json
import re
from urllib.parse import unquote

from .lines import ROOT, check, note, run

SITE = ROOT / ".build" / "documentation"
# Lines of scripts/documentation.py: a symbol without a comment, and a link into a page.
NO_COMMENT = re.compile(r"^\S+:\d+: .* has no comment$", re.MULTILINE)
NO_HEADING = re.compile(r"^\S+: .* names no heading$", re.MULTILINE)
CONVERTING = "== Writing the pages"
WARNING = re.compile(r"^(?:warning|error): ", re.MULTILINE)
COUNTED = re.compile(r"^(\d+) public symbols, .*; (\d+) pages\.$", re.MULTILINE)
BLOCKS = re.compile(r"^(\d+) Swift blocks of (\d+) pages compile .*, (\d+) are marked as not compiled", re.MULTILINE)
COMPLAINTS = re.compile(r"^check-blocks: (\d+) complaints", re.MULTILINE)


def dead_links(site):
    """The addresses within the site that its pages refer to, and no page has; and how many pages there are."""
    data = site / "data"
    pages = sorted((data / "documentation").rglob("*.json"))
    known = {f"/{page.relative_to(data).with_suffix('')}".lower() for page in pages}
    dead = set()
    for page in pages:
        references = json.loads(page.read_text(encoding="utf-8")).get("references", {})
        for reference in references.values():
            address = unquote(reference.get("url", "")).partition("#")[0].rstrip("/").lower()
            if address.startswith("/documentation") and address not in known:
                dead.add(address)
    return sorted(dead), len(pages)


def site(scene):
    """The part of the figure about the site, and what is wrong with it."""
    note("scripts/document")
    status, text = run(("scripts/document",), scene.log("document"))
    # SwiftPM's output stands before.
    uncommented, warnings = len(NO_COMMENT.findall(text)), len(WARNING.findall(text.partition(CONVERTING)[2]))
    dead, addresses = dead_links(SITE) if (SITE / "data").is_dir() else ([], 0)
    dead += NO_HEADING.findall(text)
    counted = COUNTED.search(text)
    judged = {"symbols without a comment": uncommented, "warnings of DocC": warnings, "dead links": len(dead)}
    problems = [f"{number} {name}" for name, number in judged.items() if number]
    if dead:
        problems.append(f"as {dead[0]}")
    if not problems and (status or not counted or addresses < int(counted[2])):
        problems.append(f"the site isn't complete; see {scene.log('document')}")
    written = f"{counted[2]} pages and {counted[1]} symbols at {addresses} addresses" if counted else "no site"
    return f"{written}, warnings {warnings}, dead links {len(dead)}, symbols without a comment {uncommented}", problems


def blocks(scene):
    """The part of the figure about the blocks, and what is wrong with them."""
    note("scripts/check-blocks")
    status, text = run(("scripts/check-blocks",), scene.log("blocks"))
    counted, complaints = BLOCKS.search(text), COMPLAINTS.search(text)
    if status or not counted:
        number = complaints[1] if complaints else "no"
        return "blocks not compiled", [f"{number} complaints about blocks; see {scene.log('blocks')}"]
    compiled, left_out = int(counted[1]), int(counted[3])
    return (f"blocks that compile {compiled} of {compiled}, on {counted[2]} pages, and {left_out} with a reason not to",
            [] if compiled else ["there are no blocks"])


def figure(scene):
    (about_site, problems), (about_blocks, others) = site(scene), blocks(scene)
    text = f"{about_site}; {about_blocks}"
    problems += others
    check(not problems, f"{'; '.join(problems)} ({text})")
    return text
