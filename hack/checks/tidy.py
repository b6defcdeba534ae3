#!/usr/bin/env python3
"""Runs clang-tidy on sources, two at a time, and remembers those found clean.

    hack/checks/tidy.py --build FOLDER [--all | --product]

FOLDER has a compile_commands.json. What is compiled at once, mostly a batch of
sources, is checked at once, and is known by their text, that of our headers that
they include, and the list of checks. Checked are the batches that a change since
main touches, directly or by a header; with --product also all that are not
tests, with --all all. The batch whose sources changed last is the first, so that a
run that is cut short has looked at what is new.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

TIDY = "clang-tidy-14"
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# For all checkouts of this user.
MEMORY = pathlib.Path(os.environ.get("XDG_CACHE_HOME")
                      or pathlib.Path.home() / ".cache") / "fluxnetes/tidy"


class Sources:
    """What a build compiles, and what that includes of ours."""

    def __init__(self, build):
        self._here = pathlib.Path.cwd()
        self._roots = [pathlib.Path("."), build / "generated"]
        commands = json.loads((build / "compile_commands.json").read_text())
        paths = (pathlib.Path(command["file"]) for command in commands)
        self.all = sorted({path.relative_to(self._here) for path in paths
                           if path.is_relative_to(self._here)
                           and (not path.is_relative_to(self._here / build)
                                or path.parent.name == "Unity")})

    def of_product(self, path):
        return all(part.parts[0] != "tests" for part in self.closure(path))

    @functools.cache
    def text(self, path):
        return path.read_bytes()

    @functools.cache
    def includes(self, path):
        found = []
        for name in INCLUDE.findall(self.text(path)):
            for root in self._roots:
                target = root / os.fsdecode(name)
                if target.is_file():
                    if target.is_absolute():  # a batch names its sources so
                        target = target.relative_to(self._here)
                    found.append(target)
                    break
        return found

    def closure(self, path):
        seen, todo = set(), [path]
        while todo:
            if (next_path := todo.pop()) not in seen:
                seen.add(next_path)
                todo += self.includes(next_path)
        return sorted(seen)

    def key(self, path):
        digest = hashlib.sha256(pathlib.Path(".clang-tidy").read_bytes())
        for part in self.closure(path):
            # A batch names its sources with the path of this checkout.
            text = self.text(part).replace(os.fsencode(self._here), b"")
            digest.update(b"%s\0%s\0" % (os.fsencode(part), text))
        return digest.hexdigest()


def changed_files():
    def git(*arguments):
        done = subprocess.run(["git", *arguments], capture_output=True,
                              text=True, check=False)
        return done.stdout.split() if done.returncode == 0 else []

    base = git("merge-base", "HEAD", "origin/main") or \
        git("merge-base", "HEAD", "main") or ["HEAD"]
    names = git("diff", "--name-only", base[0]) + \
        git("ls-files", "-o", "--exclude-standard")
    return {pathlib.Path(name) for name in names}


def commits_ago():
    """{file: how many commits were made since the last that changed it}."""
    log = subprocess.run(
        ["git", "log", "--max-count=2000", "--name-only", "--format=%x00"],
        capture_output=True, text=True, check=False).stdout
    ago = {}
    for count, names in enumerate(log.split("\0")):
        for name in names.split():
            ago.setdefault(pathlib.Path(name), count)
    return ago


def tidy(build, path):
    done = subprocess.run([TIDY, "--quiet", "-p", build, path],
                          capture_output=True, text=True, check=False)
    # What a compiler says on standard error counts only if tidy failed.
    return done.returncode == 0, done.stdout or done.stderr


def findings(text):
    """Each warning with its lines; one of a header comes from many sources."""
    return re.split(r"(?m)^(?=\S+:\d+:\d+: (?:warning|error):)", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true")
    which.add_argument("--product", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    sources = Sources(arguments.build)
    wanted = sources.all
    if not arguments.all:
        changed = changed_files()
        wanted = [path for path in wanted
                  if arguments.product and sources.of_product(path)
                  or changed.intersection(sources.closure(path))]
    MEMORY.mkdir(parents=True, exist_ok=True)
    todo = [path for path in wanted
            if not (MEMORY / sources.key(path)).exists()]
    ago = commits_ago()
    todo.sort(key=lambda path: min(
        (ago.get(part, len(ago)) for part in sources.closure(path)
         if part.suffix == ".cc"), default=len(ago)))
    print(f"{len(wanted)} sources, {len(todo)} not yet known")

    said = set()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        run = functools.partial(tidy, arguments.build)
        for path, (clean, text) in zip(todo, pool.map(run, todo)):
            if clean:
                (MEMORY / sources.key(path)).touch()
                continue
            failed = True
            for finding in findings(text):
                if finding.strip() and finding not in said:
                    said.add(finding)
                    print(finding, end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
