#!/usr/bin/env python3
"""Checks that comments and the manual use no retired word.

    hack/checks/words.py [TABLE] < names of files

The table, hack/checks/retired_words.tsv, says which words are retired, and which
to use instead. Looked at are the comments of C++, SQL and Protobuf, and the text
of Markdown outside code; generated pages and the changelog are left out.
"""

import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).with_name("retired_words.tsv")
COMMENTS = {".h": "//", ".cc": "//", ".proto": "//", ".sql": "--"}
LEFT_OUT = {"CHANGELOG.md", "docs/commands.md", "docs/grpc-reference.md"}


def read_table(path):
    """(pattern, better word, files that may use it) of each row."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, better, may = (line.split("\t") + ["", ""])[:3]
            yield re.compile(rf"\b{word}\b", re.IGNORECASE), better, may.split()


def prose(path):
    """(number, text) of the lines of a file that people read as sentences."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    mark = COMMENTS.get(path.suffix)
    fenced = False
    for number, line in enumerate(lines, start=1):
        if mark:
            _, found, text = line.partition(mark)
            if found:
                yield number, re.sub(r"`[^`]*`|\"[^\"]*\"", "", text)
        elif path.suffix == ".md":
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def main():
    table = list(read_table(
        pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE))
    faults = 0
    for name in sys.stdin.read().splitlines():
        path = pathlib.Path(name)
        if name in LEFT_OUT or not path.is_file():
            continue
        for number, text in prose(path):
            for word, better, may in table:
                if name not in may and (found := word.search(text)):
                    print(f"{name}:{number}: '{found.group()}' is retired, "
                          f"write: {better}")
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
