#!/usr/bin/env python3
"""Prints which tests a share of a CI run has, for hack/test --share.

    hack/shares.py plain|address|thread [ROOT]
    hack/shares.py --suites FOLDER
    hack/shares.py --lacking plain|address|thread PROGRAMS [ROOT]

One line for each program that has some: FOLDER_tests=FILTER, a filter of
GoogleTest. Each suite is in one share: tests/shares.tsv says in which. Exit code
1, with the reason, where the table names what is not there, or two rows put one
suite into different shares. The second form prints the filter of all suites in a
folder. The third fails if the programs of a share in the folder PROGRAMS lack a
suite of it, since a filter is content with what is there.
"""

import collections
import pathlib
import re
import subprocess
import sys

SUITE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),", re.MULTILINE)
SHARES = ("plain", "address", "thread")
# These show that a build has its sanitizer, so each sanitized share has them.
PLANTED = ("sql", "Sanitizers")


class TableError(Exception):
    pass


def suites_of(folder):
    """The suites of a folder and of those in it."""
    return {suite for path in sorted(folder.rglob("*.cc"))
            for suite in SUITE.findall(path.read_text(encoding="utf-8"))}


def read_table(tests):
    """(place, share, suites that stay plain, line) of each row."""
    path = tests / "shares.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line or line.startswith("#"):
            continue
        place, share, plain = (line.split("\t") + ["", ""])[:3]
        where = f"{path.name}:{number}"
        if share not in SHARES:
            raise TableError(f"{where}: '{share}' is no share; there is: "
                             f"{', '.join(SHARES)}")
        if not (tests / place).is_dir():
            raise TableError(f"{where}: there is no folder tests/{place}")
        yield place, share, set(plain.split()), where


def shares_of(tests):
    """For each floor, the share of each of its suites."""
    shares = collections.defaultdict(dict)
    for place, share, plain, where in read_table(tests):
        floor = place.split("/")[0]
        suites = suites_of(tests / place)
        if unknown := plain - suites:
            raise TableError(f"{where}: no suite {', '.join(sorted(unknown))} "
                             f"is in tests/{place}")
        for suite in suites - plain:
            if shares[floor].setdefault(suite, share) != share:
                raise TableError(f"{where}: {suite} is in another share too")
    # A suite of two folders would be run twice, or never.
    for floor in shares:
        named = [place for place, *_ in read_table(tests)
                 if place.split("/")[0] == floor]
        for folder in sorted((tests / floor).rglob("*")):
            place = folder.relative_to(tests).as_posix()
            if not folder.is_dir() or floor in named or place in named:
                continue
            for suite in suites_of(folder) & set(shares[floor]):
                raise TableError(f"tests/{place}: {suite} is in a folder of "
                                 "another share too")
    return shares


def pattern(suite):
    return f"{suite}.*:*/{suite}.*:{suite}/*"


def parts(tests, share):
    """(floor, its suites in the share, its suites in other shares)."""
    shares = shares_of(tests)
    for folder in sorted(tests.iterdir()):
        if not folder.is_dir():
            continue
        name = folder.name
        suites = suites_of(folder)
        mine = {suite for suite in suites
                if shares[name].get(suite, "plain") == share or
                ((name, suite) == PLANTED and share != "plain")}
        if mine:
            yield name, mine, suites - mine


def filters(tests, share):
    for name, mine, others in parts(tests, share):
        if share != "plain":
            tests_of = ":".join(map(pattern, sorted(mine)))
        else:  # all but: a suite that no source names is run, too
            tests_of = "*"
            if others:
                tests_of += "-" + ":".join(map(pattern, sorted(others)))
        yield f"{name}_tests={tests_of}"


def lacking(tests, share, programs):
    for name, mine, _ in parts(tests, share):
        program = programs / f"{name}_tests"
        listed = subprocess.run(
            [program.resolve(), "--gtest_list_tests"], check=True, text=True,
            stdout=subprocess.PIPE).stdout
        # INSTANCE/SUITE/NUMBER. at the most.
        there = {part for line in listed.splitlines() if line[:1] != " "
                 for part in line.split(".")[0].split("/")}
        for suite in sorted(mine - there):
            yield f"{program} lacks {suite}"


def main():
    if sys.argv[1:2] == ["--suites"]:
        print(":".join(map(pattern, sorted(
            suites_of(pathlib.Path(sys.argv[2]))))))
        return
    if sys.argv[1:2] == ["--lacking"]:
        tests = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else ".") / "tests"
        sys.exit("\n".join(lacking(tests, sys.argv[2],
                                   pathlib.Path(sys.argv[3]))) or None)
    share = sys.argv[1] if len(sys.argv) > 1 else ""
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    if share not in SHARES:
        sys.exit(f"hack/shares.py: a share is one of {', '.join(SHARES)}")
    try:
        print("\n".join(filters(root / "tests", share)))
    except TableError as error:
        sys.exit(f"hack/shares.py: {error}")


if __name__ == "__main__":
    main()
