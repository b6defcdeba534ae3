#!/usr/bin/env python3
"""Checks that each noun of the product has a test that a reader finds.

    hack/checks/nouns.py [ROOT]

A noun is a header of a floor. Its test has its name, in any folder of tests:
that of pool.h is pool_test.cc, pool_pgtest.cc or pool_kubetest.cc, or a part
of it, pool_settings_test.cc; but a test with the name of another noun, as of
pool_counts.h, is of that one. A name that nouns of two floors have counts for
each in the tests of its own floor only.

The opening comment of a header without such a test ends with a line that says
which tests show what it does, each by its path:

    // Tests: tests/sql/connection/pool_pgtest.cc.
"""

import collections
import pathlib
import re
import sys

FLOORS = ("sql", "matcher", "queue", "cluster", "workers", "services")
TEST = re.compile(r"(\w+)_(?:pg|kube)?test\.cc")
SCRIPT = re.compile(r"tests/scripts/\w+_test")
MOST = 3  # tests that a header names


def opening_comment(path):
    """The lines above `#pragma once`, without their slashes."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines


class Tests:
    """The files of tests, by the name before their kind."""

    def __init__(self, root, headers):
        self._nouns = collections.Counter(path.stem for path in headers)
        self._floors = collections.defaultdict(set)
        for path in (root / "tests").rglob("*.cc"):
            if named := TEST.fullmatch(path.name):
                floor = path.relative_to(root / "tests").parts[0]
                self._floors[self._noun_of(named[1])].add(floor)

    def _noun_of(self, name):
        """The longest noun that the name is or begins with; else the name."""
        words = name.split("_")
        starts = ("_".join(words[:n]) for n in range(len(words), 0, -1))
        return next((s for s in starts if s in self._nouns), name)

    def has(self, noun, floor):
        floors = self._floors[noun]
        return floor in floors if self._nouns[noun] > 1 else bool(floors)


def faults_of(root, path, tests):
    """(line, fault) of one header."""
    comment = opening_comment(path)
    start = next((number for number, line in enumerate(comment, start=1)
                  if line.startswith("Tests:")), None)
    if start is None:
        if not tests.has(path.stem, path.relative_to(root).parts[0]):
            yield 1, f"no test has the name {path.stem}, and no line " \
                     "`// Tests: tests/PATH.` says which shows it"
        return
    text = " ".join(comment[start - 1:])
    if not re.fullmatch(r"Tests: \S*\w(, \S*\w)*\.", text):
        yield start, f'"{text}" is not the paths of tests and a full stop, ' \
                     "as the comment's end"
        return
    names = text.removeprefix("Tests: ").removesuffix(".").split(", ")
    if len(names) > MOST:
        yield start, f"{len(names)} tests are named, {MOST} at most"
    for name in names:
        if not (name.startswith("tests/") and TEST.fullmatch(name.split("/")[-1])
                or SCRIPT.fullmatch(name)):
            yield start, f"{name} is no test under tests/"
        elif not (root / name).is_file():
            yield start, f"{name} does not exist"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    headers = sorted(path for floor in FLOORS
                     for path in (root / floor).rglob("*.h"))
    tests = Tests(root, headers)
    faults = [f"{path.relative_to(root)}:{number}: {fault}"
              for path in headers
              for number, fault in faults_of(root, path, tests)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
