#!/usr/bin/env python3
"""Checks the plain text of the files named on standard input.

No blank at a line's end, no tab but in a Makefile, in Go and in a table (.tsv), one
newline at a file's end, UTF-8 with LF; a script that can be run has a first line that
says by what, and the right to; clang-tidy is silenced only by name and with a reason;
threads lock by sql::Mutex, whose use clang checks, and not by std::mutex.
"""

import os
import re
import sys

TABS = ("Makefile", ".go", "go.mod", ".tsv")
BINARY = (".png", ".svg", ".ico")
CORPUS = "tests/fuzz/corpus/"  # inputs as they are
LOCKS = re.compile(
    r"\bstd::(\w*mutex|condition_variable\w*|(lock_guard|\w+_lock)\b)")
LOCKING = ("sql/mutex.h", "sql/condition_variable.h")  # what is made of them
SILENCED = re.compile(r"NOLINT(?:NEXTLINE|BEGIN)?\b(?!\([a-z][\w.,* -]*\): \S)")


def faults_of(path):
    with open(path, "rb") as file:
        raw = file.read()
    if not raw:
        return
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        yield f"{path}: not UTF-8 at byte {error.start}"
        return
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield f"{path}: must end in one newline"
    for number, line in enumerate(text.split("\n"), start=1):
        if line != line.rstrip():
            yield f"{path}:{number}: blank at the end of the line"
        if "\t" in line and not path.endswith(TABS):
            yield f"{path}:{number}: tab"
        if path.endswith((".cc", ".h")) and SILENCED.search(line):
            yield f"{path}:{number}: NOLINT wants (check): reason"
        if path.endswith((".cc", ".h")) and not path.endswith(LOCKING) and \
                (lock := LOCKS.search(line.split("//")[0])):
            yield f"{path}:{number}: {lock[0]} hides from clang what it guards; " \
                  "take sql::Mutex, MutexLock, ConditionVariable (sql/mutex.h)"
    executable = os.access(path, os.X_OK)
    if executable != text.startswith("#!"):
        yield f"{path}: " + ("can be run, but has no #! line" if executable
                             else "has a #! line, but cannot be run")


def main():
    paths = [line.rstrip("\n") for line in sys.stdin]
    faults = [fault for path in paths
              if not path.endswith(BINARY) and not path.startswith(CORPUS)
              and not os.path.islink(path)
              for fault in faults_of(path)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
