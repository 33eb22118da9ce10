#!/usr/bin/env python3
"""Writes the pages of the manual of a program, from what its option --experimental-dump-help prints.

    PROGRAM --experimental-dump-help | scripts/manual.py VERSION FOLDER

One page for the program and one for each of its commands, PROGRAM-COMMAND.1, in the macros of man(7).
"""
import json
import pathlib
import re
import sys


def escaped(text):
    """Text that troff prints as it is: no escapes, no requests, minus signs that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match[0]):04X}]", text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def paragraphs(text):
    """The lines of a discussion: headings in capitals, paragraphs, and lines of examples, which stay as they are."""
    lines = []
    for line in text.strip().split("\n"):
        if re.fullmatch(r"[A-Z][A-Z ]+", line):
            lines.append(f".SH {escaped(line)}")
        elif not line.strip():
            lines.append(".PP")
        elif line.startswith("  "):
            # Columns are aligned by blanks.
            lines += [".nf", escaped(line.rstrip()), ".fi"]
        else:
            lines.append(escaped(line))
    return re.sub(r"\n\.fi\n\.nf\n", "\n", "\n".join(lines)).split("\n")


def names(argument):
    """How an argument is written: `--port <number>`."""
    value = f"<{argument['valueName']}>" if argument.get("valueName") else ""
    if argument["kind"] == "positional":
        return value
    spelled = ", ".join(
        f"{'-' if name['kind'] == 'short' else '--'}{name['name']}" for name in argument["names"])
    return f"{spelled} {value}" if argument["kind"] == "option" else spelled


def usage(words, arguments, has_commands):
    parts = [" ".join(words)]
    for argument in arguments:
        text = names({**argument, "names": argument.get("names", [])[-1:]})
        text += "..." if argument.get("isRepeating") else ""
        parts.append(f"[{text}]" if argument.get("isOptional", True) else text)
    return " ".join(parts + (["<command> ..."] if has_commands else []))


def page(command, words, version):
    """The page of a command."""
    title = "-".join(words)
    arguments = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    commands = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    lines = [
        f'.TH "{escaped(title.upper())}" "1" "" "{escaped(words[0])} {escaped(version)}" ""',
        ".SH NAME", f"{escaped(title)} \\- {escaped(command.get('abstract', '').rstrip('.'))}",
        ".SH SYNOPSIS", escaped(usage(words, arguments, commands)),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    if commands:
        lines.append(".SH COMMANDS")
        for each in commands:
            name = escaped("-".join([*words, each["commandName"]]))
            lines += [".TP", f".BR {name} (1)", escaped(each.get("abstract", ""))]
    if arguments:
        lines.append(".SH OPTIONS")
        for argument in arguments:
            lines += [".TP", f"\\fB{escaped(names(argument))}\\fR", escaped(argument.get("abstract", ""))]
            if argument.get("discussion"):
                lines.append(escaped(argument["discussion"]))
            if argument.get("defaultValue"):
                lines.append(f"The default is {escaped(argument['defaultValue'])}.")
    return title, "\n".join(line for line in lines if line) + "\n", commands


def pages(command, words, version):
    """The pages of a command and of those below it, as pairs of a title and a text."""
    title, text, commands = page(command, words, version)
    found = [(title, text)]
    for each in commands:
        found += pages(each, [*words, each["commandName"]], version)
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: PROGRAM --experimental-dump-help | scripts/manual.py VERSION FOLDER")
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    described = json.load(sys.stdin)
    if described["serializationVersion"] != 0:
        sys.exit(f"manual.py: the form {described['serializationVersion']} of the help is unknown.")
    command = described["command"]
    for title, text in pages(command, [command["commandName"]], version):
        (folder / f"{title}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
