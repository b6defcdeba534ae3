#!/usr/bin/env python3
"""Checks that each folder includes only itself and the floors below it.

    hack/lint_floors.py [ROOT]

Also that a library is used only where the design allows it, and that no header
that another folder includes drags in a slow one, directly or by others: the
price would be paid by every source.
"""

import pathlib
import re
import sys

FLOORS = {"sql": 0, "matcher": 0, "migrations": 1, "queue": 1, "cluster": 2,
          "workers": 3, "services": 4}

# Which folders may use a library, by its headers; tests may use all.
LIBRARIES = [
    (r"pqxx/|libpq-fe\.h", {"sql"}),
    (r"curl/", {"cluster", "services"}),
    (r"httplib\.h|grpc", {"services"}),
    (r"CLI/|spdlog/|prometheus/", {"services"}),
    (r"pugixml\.hpp", {"matcher", "services"}),
    (r"yaml\.h", {"matcher"}),
    (r"yaml-cpp/", {"cluster", "services"}),
]
SLOW = re.compile(
    r"pqxx/|nlohmann/json\.hpp|spdlog/|CLI/|httplib\.h|yaml-cpp/|grpc|pugixml")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


class Includes:
    """What the files of the floors include, line by line."""

    def __init__(self, root):
        self._slow = {}
        self.of = {}
        for folder in FLOORS:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in (".h", ".cc"):
                    name = path.relative_to(root).as_posix()
                    self.of[name] = list(self._read(path))

    @staticmethod
    def _read(path):
        """(line, name, whether in quotes) of each #include."""
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            if found := INCLUDE.match(line):
                ours, theirs = found.groups()
                yield number, ours or theirs, bool(ours)

    def slow_part(self, header):
        """The slow header that this one drags in, or None."""
        if SLOW.match(header):
            return header
        if header not in self._slow:
            self._slow[header] = None  # a circle ends here
            parts = (self.slow_part(name)
                     for _, name, _ in self.of.get(header, []))
            self._slow[header] = next(filter(None, parts), None)
        return self._slow[header]


def faults_of_include(includes, folder, name, in_quotes):
    for pattern, users in LIBRARIES:
        if re.match(pattern, name) and folder not in users:
            yield f"{name} is for {', '.join(sorted(users))} only"
    if not in_quotes:
        return
    if "/" not in name:
        yield f'"{name}" does not say its folder'
    target = name.split("/")[0]
    if target == "tests":
        yield f'"{name}" is for tests only'
    if target not in FLOORS or target == folder:
        return
    if FLOORS[target] >= FLOORS[folder]:
        way = "beside" if FLOORS[target] == FLOORS[folder] else "above"
        yield f'"{name}" is {way} {folder}/'
    if slow := includes.slow_part(name):
        yield f'"{name}" drags in {slow}, slow to compile; include it in ' \
              f"sources of {target}/ only"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    includes = Includes(root)
    faults = [f"{path}:{number}: {fault}"
              for path, lines in includes.of.items()
              for number, name, in_quotes in lines
              for fault in faults_of_include(
                  includes, path.split("/")[0], name, in_quotes)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
