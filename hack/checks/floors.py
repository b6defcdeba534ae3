#!/usr/bin/env python3
"""Checks that the sources keep to the floors and rooms.

    hack/checks/floors.py [ROOT]

A floor includes only itself and the floors below it. A room, which is a folder in
a floor, includes of its own floor only the rooms that hack/checks/rooms.tsv names for
it; the table has each room, each arrow in it is in use, and no arrows make a
circle. No folder holds more than 25 files.

Also that a library is used only where the design allows it, and that no header
that another floor includes drags in a slow one, directly or by others: the
price would be paid by every source.
"""

import collections
import pathlib
import re
import subprocess
import sys

FLOORS = {"sql": 0, "matcher": 0, "migrations": 1, "queue": 1, "cluster": 2,
          "workers": 3, "services": 4}

FILES = 25  # in a folder

# Which floors may use a library, by its headers; tests may use all.
LIBRARIES = [
    (r"pqxx/|libpq-fe\.h", {"sql"}),
    (r"curl/", {"cluster", "services"}),
    (r"httplib\.h|grpc", {"services"}),
    (r"CLI/|spdlog/|prometheus/", {"services"}),
    (r"pugixml\.hpp", {"matcher", "services"}),
    (r"re2/", {"matcher"}),
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


def room_of(path):
    return path.rpartition("/")[0]


class Rooms:
    """The table of rooms: which room may include which of its floor."""

    def __init__(self, path):
        self.path = path
        self.line = {}
        self.may = {}
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            if line.startswith("#"):
                continue
            room, _, arrows = (line.split("\t") + ["", ""])[:3]
            self.line[room] = number
            self.may[room] = set(arrows.split())

    def circle(self):
        """The rooms of a circle of arrows, in order, or None."""
        done, way = set(), []

        def walk(room):
            if room in way:
                return way[way.index(room):] + [room]
            if room in done:
                return None
            way.append(room)
            for target in sorted(self.may.get(room, ())):
                if found := walk(target):
                    return found
            done.add(way.pop())
            return None

        return next(filter(None, map(walk, sorted(self.may))), None)


def faults_of_rooms(rooms, includes):
    table = rooms.path.name
    used = collections.defaultdict(set)
    for path, lines in includes.of.items():
        room = room_of(path)
        if room not in rooms.may:
            yield f"{path}:1: {room}/ is not in {table}"
            continue
        for number, name, in_quotes in lines:
            target = room_of(name)
            if not in_quotes or target == room or \
                    name.split("/")[0] != path.split("/")[0]:
                continue
            used[room].add(target)
            if target not in rooms.may[room]:
                yield f'{path}:{number}: "{name}" is not for {room}/, ' \
                      f"says {table}"
    for room, targets in rooms.may.items():
        place = f"{table}:{rooms.line[room]}"
        for target in sorted(targets - used[room]):
            yield f"{place}: {room} includes nothing of {target}"
    if circle := rooms.circle():
        yield f"{table}:{rooms.line[circle[0]]}: a circle: " + \
              " -> ".join(circle)


def faults_of_size(root):
    """Folders of too many files; those of test data have as many as they need."""
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
        capture_output=True, text=True, check=True).stdout.splitlines()
    files = collections.Counter(
        room_of(name) for name in names
        if (root / name).exists() and
        name.split("/")[0] in {*FLOORS, "tests", "cmake", "hack"} and
        not re.search(r"/(corpus|data|recorded|chart)(/|$)", name))
    for folder, count in sorted(files.items()):
        if count > FILES:
            yield f"{folder}:1: {count} files are in this folder, {FILES} at most"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    includes = Includes(root)
    faults = [f"{path}:{number}: {fault}"
              for path, lines in includes.of.items()
              for number, name, in_quotes in lines
              for fault in faults_of_include(
                  includes, path.split("/")[0], name, in_quotes)]
    table = root / "hack" / "checks" / "rooms.tsv"
    if table.exists():
        faults += faults_of_rooms(Rooms(table), includes)
    if (root / ".git").exists():
        faults += faults_of_size(root)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
