#!/usr/bin/env python3
"""Runs test programs, two at a time, and counts what they say.

A program FOLDER_tests is a GoogleTest program. A program NAME_fuzz is given its
corpus, and is one test, passed if it gets through. Anything else is a script that
prints a line `ok CLAIM`, `not ok CLAIM` or `skipped CLAIM: WHY` per test. A
program that dies, hangs or says nothing counts as one failed test, and so does
each test that is skipped without a reason. Exit code 0: nothing failed, and
something ran.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree


@dataclasses.dataclass
class Result:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


class Programs:
    """The programs that run; each leads a process group, ended as a whole."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self._stopped = False

    def run(self, command, log, environment, folder, timeout):
        """The exit code; None if it ran out of time."""
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env=environment, cwd=folder,
                start_new_session=True)
            self._running.add(process.pid)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self._end(process.pid)
            process.wait()

    def stop(self):
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for group in running:
            self._end(group)

    def _end(self, group):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass
        with self._lock:
            self._running.discard(group)


def read_googletest(path):
    result = Result()
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            result.failed.append(name)
        elif skipped is not None:
            # GoogleTest puts the place first, the reason below it.
            message = (skipped.get("message") or "").partition("\n")[2]
            if reason := message.strip():
                result.skipped.append(f"{name}: {reason}")
            else:
                result.failed.append(f"{name} (skipped without a reason)")
        elif case.get("status") == "run":
            result.passed += 1
    return result


def read_script(text):
    result = Result()
    for line in text.splitlines():
        if line.startswith("ok "):
            result.passed += 1
        elif line.startswith("not ok "):
            result.failed.append(line[len("not ok "):])
        elif line.startswith("skipped "):
            claim, _, reason = line[len("skipped "):].partition(": ")
            if reason:
                result.skipped.append(f"{claim}: {reason}")
            else:
                result.failed.append(f"{claim} (skipped without a reason)")
    return result


def run_one(programs, program, arguments):
    label = pathlib.Path(program).name
    log_path = arguments.results / f"{label}.log"
    report = arguments.results / f"{label}.xml"
    report.unlink(missing_ok=True)
    googletest = label.endswith("_tests")
    fuzz = label.endswith("_fuzz")
    command = [os.path.abspath(program)]
    # An empty folder: the program would find .fluxnetes/ in the checkout.
    folder = arguments.results / "cwd" / label
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if fuzz:
        corpus = f"tests/fuzz/corpus/{label.removesuffix('_fuzz')}"
        command.append(os.path.abspath(corpus))
    environment = dict(os.environ)
    if googletest:
        command.append("--gtest_brief=1")
        environment["GTEST_FILTER"] = arguments.filter
        environment["GTEST_OUTPUT"] = f"xml:{report.resolve()}"
    started = time.monotonic()
    with open(log_path, "wb") as log:
        code = programs.run(command, log, environment, folder,
                            arguments.timeout)
    text = log_path.read_text(errors="replace")
    result = Result()
    if fuzz:
        result.passed = int(code == 0)
    elif not googletest:
        result = read_script(text)
    elif report.exists():
        result = read_googletest(report)
    if code is None:
        result.failed.append(f"{label} (ended after {arguments.timeout} s)")
    elif code != 0 and not result.failed:
        result.failed.append(f"{label} (exit code {code})")
    elif not googletest and not result.passed and not result.failed:
        result.failed.append(f"{label} (says nothing)")
    return label, result, time.monotonic() - started, text


def show(label, result, seconds, text):
    word = "FAILED" if result.failed else "ok"
    count = result.passed + len(result.failed) + len(result.skipped)
    if result.failed:
        print(text[-40000:], end="" if text.endswith("\n") else "\n")
    print(f"{label:<24} {word:<6} {count:5} tests {seconds:7.1f} s", flush=True)


def run_all(programs, arguments):
    total = Result()
    arguments.results.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(run_one, programs, program, arguments)
                   for program in arguments.programs]
        for future in concurrent.futures.as_completed(futures):
            outcome = future.result()
            show(*outcome)
            total.add(outcome[1])
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=3600)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()

    programs = Programs()

    def interrupted(number, _):
        programs.stop()
        os._exit(128 + number)

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    total = run_all(programs, arguments)
    for reason in total.skipped:
        print(f"skipped: {reason}")
    for name in total.failed:
        print(f"failed: {name}")
    ran = total.passed + len(total.failed) + len(total.skipped)
    if ran == 0:
        print(f"no test matches {arguments.filter}")
    print(f"{total.passed} passed, {len(total.failed)} failed, "
          f"{len(total.skipped)} skipped")
    return 1 if total.failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
