#!/usr/bin/python3
"""Looks at pages of the manual.

    docs.py links PAGE...    every file, anchor and file name that they name is
                             there, and addresses look like some
    docs.py names PAGE...    every function, type or query in the column `function`
                             of a table is in the file of its row, as a definition
                             or a declaration; so is `NAME` in `FILE` anywhere
    docs.py sql FOLDER PAGE...   writes each ```sql block of a page into a file
    docs.py sh FOLDER PAGE...    the same of blocks of commands (```sh, or `$ ` before
                             each) that need nothing but `fluxnetes` and a database
    docs.py yaml FOLDER PAGE...  the same of manifests of ours
    docs.py block PAGE WORDS prints the one block of commands that has them
    docs.py others LIST PAGE...  every other block of commands is in LIST: run by
                             the test that it names, or by nobody for a reason
"""

import functools
import pathlib
import re
import shlex
import sys

FENCE = re.compile(r"^```(\w*)$")
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
ADDRESS = re.compile(r"https?://[a-z0-9.-]+\.[a-z]{2,}(:\d+)?(/[^\s<>\"]*)?$")
IN_FILE = re.compile(r"`([\w:]+)`\s+in\s+`([\w./-]+\.(?:h|cc|sql|cmake))`")
FILE = re.compile(
    r"`((?:hack|docs|deploy|tests|sql|migrations|services|matcher|queue|cluster"
    r"|workers|cmake)/[\w./-]*)`")


def blocks(path):
    """Pairs of the language and the lines of each fenced block; text is None."""
    language, lines, text = None, [], []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        if fence and language is None:
            language, lines = fence[1], []
        elif line == "```" and language is not None:
            yield language, lines
            language = None
        elif language is None:
            text.append(line)
        else:
            lines.append(line)
    assert language is None, f"{path}: a block does not end"
    yield None, text


def text_of(path):
    return next(lines for language, lines in blocks(path) if language is None)


@functools.cache
def anchors(path):
    """What headings are linked to by, as GitHub makes it."""
    found = set()
    for line in text_of(path):
        if not re.match(r"#{1,6} ", line):
            continue
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip())
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while (name := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(name)
    return found


def fault_of_link(page, target):
    if "://" in target:
        return None if ADDRESS.match(target) else "is no address"
    name, _, anchor = target.partition("#")
    path = page.parent / name if name else page
    if not path.exists():
        return "is not there"
    if anchor and anchor not in anchors(path):
        return f"has no heading '{anchor}'"
    return None


def faults(page):
    for line in text_of(page):
        for target in LINK.findall(line):
            if fault := fault_of_link(page, target):
                yield f"{page}: {target} {fault}"
        for name in FILE.findall(line):
            if name.rpartition("/")[2].isupper():  # stands for a name
                continue
            if not (pathlib.Path(name).exists() or (page.parent / name).exists()):
                yield f"{page}: {name} is not there"


def links(*pages):
    found = sorted({fault for page in pages for fault in faults(pathlib.Path(page))})
    print(*found, sep="\n")
    sys.exit(1 if found else 0)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def named_functions(page):
    """The files and the functions that each row of a table names, if the table has
    columns of these names."""
    columns = []
    for line in text_of(page):
        if not line.startswith("|"):
            columns = []
        elif not columns:
            columns = cells(line)
        elif {"file", "function"} <= set(columns) and not line.startswith("|--"):
            row = dict(zip(columns, cells(line)))
            yield tuple(re.findall(r"`([^`]+)`", row[column])
                        for column in ("file", "function"))
    for name, path in IN_FILE.findall("\n".join(text_of(page))):
        yield [path], [name]


def is_declared(name, path):
    """Whether a file defines or declares a function, type, constant, query or view. A
    definition of `Class::Function` begins its line; a class in a header may declare
    it instead."""
    text = path.read_text(encoding="utf-8")
    scope, _, last = name.rpartition("::")
    before = r"^(?:[^\s#/][\w:<>,&*~ \[\]]*[ &*])?"
    patterns = {
        ".sql": [rf"^-- name: {name}$",
                 rf"^CREATE (?:VIEW|FUNCTION) {name}\b"],
        ".cmake": [rf"^(?:function|macro)\({name}\b"],
    }.get(path.suffix, [before + rf"{name}\("])
    if path.suffix in (".h", ".cc") and not scope:
        patterns += [rf"^(?:enum )?(?:class|struct) {name}\b",
                     rf"^(?:inline )?constexpr [^;={{]*\b{name}\b"]
    if path.suffix == ".h" and scope:
        inner = scope.rpartition("::")[2]
        return bool(re.search(rf"^ *(?:class|struct) {inner}\b", text, re.M)
                    and re.search(rf"^ +[\w:<>,&* \[\]]*\b{last}\(", text, re.M))
    return any(re.search(pattern, text, re.M) for pattern in patterns)


def faults_of_names(page):
    named = 0
    for files, functions in named_functions(page):
        if len(files) != 1 or not functions:
            yield f"{page}: a row has {len(files)} files and {len(functions)} functions"
            continue
        path = pathlib.Path(files[0])
        named += len(functions)
        if not path.exists():
            yield f"{page}: {path} is not there"
            continue
        for name in functions:
            if not is_declared(name, path):
                yield f"{page}: {path} has no {name}"
    if not named:
        yield f"{page}: no table names functions"


def names(*pages):
    found = [fault for page in pages for fault in faults_of_names(pathlib.Path(page))]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)


def of_language(page, language):
    return [lines for found, lines in blocks(page) if found == language]


def write(kind, chosen, folder, *pages):
    for page in pages:
        for number, lines in enumerate(chosen(page), start=1):
            name = f"{page.removesuffix('.md').replace('/', '.')}-{number:02}.{kind}"
            pathlib.Path(folder, name).write_text("\n".join(lines) + "\n",
                                                  encoding="utf-8")


# What a block may call that is run: our program and what is everywhere.
RUN = {"fluxnetes", "echo", "sed", "source"}


def commands(lines):
    """Words of each simple command."""
    text = re.sub(r"\\\n", " ", "\n".join(lines))
    for line in text.split("\n"):
        words = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
        words.whitespace_split = True
        command = []
        for word in words:
            if word[0] in "|&;()<>":
                yield command
                command = []
            else:
                command.append(word)
        yield command


def ends_by_itself(words):
    return not (words[1:2] == ["simulated-cluster"]
                or words[1:2] == ["serve"] and "--print-config" not in words
                or words[1:2] == ["top"] and "--once" not in words
                or {"-w", "--watch"} & set(words))


def is_run(lines):
    found = [words[words[0] == "!":] for words in commands(lines) if words]
    return (any(words[0] == "fluxnetes" for words in found)
            and all(words[0] in RUN and ends_by_itself(words) for words in found))


def shown_commands(lines):
    """Those of a block that shows what they print: behind `$ `, with the lines that
    they go on in; `!` before the one that ends in an error."""
    found, goes_on = [], False
    for line in lines:
        if line.startswith("$ "):
            found.append(line[2:])
        elif goes_on:
            found.append(line)
        goes_on = line.endswith("\\") and (goes_on or line.startswith("$ "))
        if line.startswith("error: "):
            found[-1] = "! " + found[-1]
    return found


def typed_blocks(page):
    """What each block of commands has people type."""
    for language, lines in blocks(page):
        if language == "sh":
            yield lines
        elif language is not None and lines and lines[0].startswith("$ "):
            yield shown_commands(lines)


def block(page, words):
    found = ["\n".join(lines) for lines in typed_blocks(page)]
    found = [text for text in found if words in text]
    if len(found) != 1:
        sys.exit(f"{page}: {len(found)} blocks have '{words}'")
    print(found[0])


def excuses(path):
    """(page, test, words) of each line but comments; the test is None where there
    is a reason."""
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            page, test, words = line.split(maxsplit=2)
            if test == "nobody":
                words, reason = words.split(" -- ")
                assert reason, line
            yield page, None if test == "nobody" else test, words


def others(path, *pages):
    """Prints what is not as the list has it."""
    left = {(page, "\n".join(lines)) for page in pages for lines in typed_blocks(page)
            if not is_run(lines)}
    faults_found = []
    for page, test, words in excuses(path):
        found = {(at, text) for at, text in left if at == page and words in text}
        left -= found
        if len(found) != 1:
            faults_found.append(f"{path}: {len(found)} blocks of {page} that are left "
                                f"have '{words}'")
        script = pathlib.Path("tests/scripts", test or "docs_test")
        if test and f"{page} '{words}'" not in script.read_text(encoding="utf-8"):
            faults_found.append(f"{script}: does not type {page} '{words}'")
    faults_found += [f"{page}: nobody types\n{text}" for page, text in sorted(left)]
    print(*faults_found, sep="\n")
    sys.exit(1 if faults_found else 0)


def is_ours(lines):
    text = "\n".join(lines)
    return "schedulerName: fluxnetes" in text and "apiVersion" in text


if __name__ == "__main__":
    {"links": links, "names": names, "block": block, "others": others,
     "sql": lambda *words: write(
         "sql", lambda page: of_language(page, "sql"), *words),
     "sh": lambda *words: write(
         "sh", lambda page: filter(is_run, typed_blocks(page)), *words),
     "yaml": lambda *words: write(
         "yaml", lambda page: filter(is_ours, of_language(page, "yaml")), *words),
     }[sys.argv[1]](*sys.argv[2:])
