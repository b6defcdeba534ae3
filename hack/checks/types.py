#!/usr/bin/env python3
"""Checks that a namespace has one type of a name.

    hack/checks/types.py [ROOT]

Two different types of one name in one namespace are undefined behaviour (the
one definition rule, [basic.def.odr] of the C++ standard): the linker keeps the
functions of one of them for both, and no compiler says so. Types inside of
other types and in unnamed namespaces are not looked at: the latter are of
their room alone, which compiles as one unit.
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("sql", "matcher", "queue", "cluster", "workers", "services", "tests")
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
TYPE = re.compile(r"(?:struct|class|enum|enum class|union)(?: alignas\(\w+\))?"
                  r"(?: \[\[\w+\]\])? (\w+)(?: final)?(?: ?:[^:;][^;]*)? ?(?:\{|$)")
END = re.compile(r"\}  // namespace")


def types_of(path):
    """(namespace, name, line) of each type directly in a named namespace."""
    inside = []
    for number, line in enumerate(
            path.read_text(encoding="utf-8").splitlines(), start=1):
        if END.match(line):
            if inside:
                inside.pop()
        elif "}" not in line and (found := NAMESPACE.match(line)):
            inside.append(found[1])
        elif "" not in inside and (found := TYPE.match(line)):
            yield "::".join(inside), found[1], number


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for space, name, line in types_of(path):
                    places[space, name].append(f"{path.relative_to(root)}:{line}")
    status = 0
    for (space, name), (first, *others) in places.items():
        for place in others:
            print(f"{place}: {first} has another type {name} in namespace "
                  f"{space or '::'}; the linker takes them for one")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
