#!/usr/bin/env python3
"""Prepares what DocC makes the documentation site of: one catalog of all modules, so that pages and symbols of one
module can lead to those of another.

    documentation.py MODULES GRAPHS CATALOG    MODULES: comma-separated; GRAPHS: a folder with a folder for each module

Pages of the modules' catalogs and of docs lead to each other by relative paths, as other readers of Markdown expect;
DocC's own form replaces them here. Fails for public symbols without a comment, and for those that no page of their
module lists under Topics, which are public by accident.
"""

import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
# Modules whose symbols another one exports.
EXPORTED = {"SwiftDataCore": "SwiftData", "SwiftDataSQLite": "SwiftData"}


def page_names():
    """The names of pages on the site, by their files."""
    names = {file: file.stem for file in sorted((ROOT / "Sources").rglob("*.docc/*.md"))}
    taken = {name.lower() for name in names.values()}
    for file in sorted((ROOT / "docs").rglob("*.md")):
        path = file.relative_to(ROOT / "docs")
        # A hyphen may begin what tells symbols of one name apart.
        name = "_".join((*path.parts[:-1], path.stem))
        name = {"README": "OpenSwiftData", "decisions_README": "decisions"}.get(name, name)
        names[file] = f"docs_{name}" if name.lower() in taken else name
    known = [name.lower() for name in names.values()]
    if len(known) != len(set(known)):
        sys.exit(f"documentation: pages share a name: {sorted({name for name in known if known.count(name) > 1})}")
    return names


def headings(text):
    """The headings of a page as DocC's names of anchors, by GitHub's."""
    found = {}
    for title in re.findall(r"^#{2,6} (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        title = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda match: match[1] or "", title).strip()
        github = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found[github] = "-".join(re.sub(r"['\"“”’]", "", title).split())
    return found


class Site:
    """The pages and symbols of the site."""

    def __init__(self, modules, graphs, catalog):
        self.modules, self.catalog, self.problems = modules, catalog, []
        self.names = page_names()
        self.texts = {file: file.read_text(encoding="utf-8") for file in self.names}
        self.graphs = {file: json.loads(file.read_text(encoding="utf-8"))
                       for module in modules for file in sorted((graphs / module).glob("*.json"))}
        self.owners = {}
        for file, graph in self.graphs.items():
            if "@" not in file.name:
                for symbol in graph["symbols"]:
                    if len(symbol["pathComponents"]) == 1:
                        self.owners.setdefault(symbol["pathComponents"][0], graph["module"]["name"])

    def qualified(self, text):
        """The text whose links to symbols begin with the module."""
        def replace(match):
            first, second, *_ = [*re.split(r"[/-]", match[1]), ""]
            # The module, unless it has a type of its name.
            if first in self.modules and (self.owners.get(second) == first or first not in self.owners and second):
                return f"``/{match[1]}``"
            owner = self.owners.get(first)
            return f"``/{owner}/{match[1]}``" if owner else match[0]
        return re.sub(r"``([^`\n]+)``", replace, text)

    def linked(self, file, text):
        """The text with DocC's links to other pages; links to other files of the repository become plain."""
        def replace(match):
            is_image, words, path, anchor = match.groups()
            if "://" in path or path.startswith(("doc:", "mailto:")):
                return match[0]
            target = (file.parent / path).resolve() if path else file
            if is_image or target not in self.names:
                return words
            address = self.names[target]
            if anchor:
                place = headings(self.texts[target]).get(anchor[1:])
                if place is None:
                    self.problems.append(f"{file.relative_to(ROOT)}: {path}{anchor} names no heading")
                else:
                    address += f"#{place}"
            return f"[{words}](doc:{address})"
        parts = re.split(r"(^ *```.*?^ *```$)", re.sub(r"<!--.*?-->\n?", "", text, flags=re.S), flags=re.M | re.S)
        return "".join(part if part.lstrip().startswith("```") else LINK.sub(replace, part) for part in parts)

    def root(self):
        """docs/README.md as the first page; its lists are its topics, too."""
        file = ROOT / "docs" / "README.md"
        text = self.linked(file, self.texts[file])
        title, _, rest = text.partition("\n")
        topics = []
        for section in re.split(r"^## ", rest, flags=re.M)[1:]:
            links = re.findall(r"^- \[[^\]]*\]\(doc:([^)#]+)\)", section, re.M)
            if links:
                topics.append(f"### {section.splitlines()[0]}\n\n" + "\n".join(f"- <doc:{link}>" for link in links))
        listed = "\n".join(f"- <doc:/{module}>" for module in self.modules)
        introduction = re.split(r"^## ", rest, flags=re.M)[0]
        return (f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{introduction}\n## Topics\n\n### Modules\n\n{listed}\n\n"
                + "\n\n".join(topics) + "\n")

    def parts(self, file):
        """The pages of the folder that a page of docs is the index of, as its topics."""
        folder = file.parent if file.parent.name == "decisions" and file.stem == "README" else file.with_suffix("")
        names = [name for page, name in self.names.items() if page.parent == folder and page != file]
        return "\n## Topics\n\n### Pages\n\n" + "\n".join(f"- <doc:{name}>" for name in names) + "\n" if names else ""

    def check_symbols(self):
        """Finds symbols without a comment, and those that aren't among the topics of their module."""
        topics = {}
        for file, text in self.texts.items():
            if file.parent.suffix == ".docc":
                for link in re.findall(r"^- ``([^`]+)``", text, re.M):
                    topics.setdefault(file.parent.stem, set()).add(link.split("/")[-1])
        count = 0
        for file, graph in self.graphs.items():
            module = graph["module"]["name"]
            # Comments on a protocol's requirements count for what implements them.
            inherited = {each["source"] for each in graph["relationships"] if "sourceOrigin" in each}
            for symbol in graph["symbols"]:
                count += 1
                path = symbol["pathComponents"]
                place = symbol.get("location", {})
                where = place.get("uri", "").rpartition("/Sources/")[2] + ":" + str(
                    place.get("position", {}).get("line", 0) + 1)
                if "docComment" not in symbol and symbol["identifier"]["precise"] not in inherited:
                    self.problems.append(f"{where}: {'.'.join(path)} has no comment")
                is_macro = symbol["kind"]["identifier"] == "swift.macro"
                if len(path) == 1 and not is_macro and path[0] not in topics.get(module, set()):
                    self.problems.append(f"{where}: {path[0]} isn't among the topics of {module}; is it to be public?")
        return count

    def write(self):
        shutil.rmtree(self.catalog, ignore_errors=True)
        self.catalog.mkdir(parents=True)
        for file, graph in self.graphs.items():
            for symbol in graph["symbols"]:
                for line in symbol.get("docComment", {}).get("lines", []):
                    line["text"] = self.qualified(line["text"])
            name = re.sub(r"@(\w+)", lambda match: "@" + EXPORTED.get(match[1], match[1]), file.name)
            if "@" not in name or name.split("@")[1].split(".")[0] in self.modules:
                (self.catalog / name).write_text(json.dumps(graph), encoding="utf-8")
        for file, text in self.texts.items():
            page = self.root() if self.names[file] == "OpenSwiftData" else self.linked(file, text)
            title, _, rest = page.partition("\n")
            (self.catalog / f"{self.names[file]}.md").write_text(
                f"{title}\n{self.qualified(rest)}{self.parts(file)}", encoding="utf-8")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    site = Site(sys.argv[1].split(","), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    site.write()
    count = site.check_symbols()
    if site.problems:
        print("\n".join(sorted(site.problems)), file=sys.stderr)
        sys.exit(f"documentation: {len(site.problems)} problems, listed above.")
    print(f"{count} public symbols, each with a comment and among its module's topics; {len(site.names)} pages.")


if __name__ == "__main__":
    main()
