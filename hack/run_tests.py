#!/usr/bin/env python3
"""Runs test programs, three at a time, and counts what they say.

A program FOLDER_tests is a GoogleTest program. A program NAME_fuzz is given its
corpus, and is one test, passed if it gets through. Anything else is a script
that prints a line `ok CLAIM`, `not ok CLAIM` or `skipped CLAIM: WHY` per test.
A program that dies, hangs or says nothing counts as one failed test, and so
does each test that is skipped without a reason. Exit code 0: nothing failed,
and something ran.

What `--alone PROGRAM` names runs when all others have ended, one at a time.

A test that failed is run once more, alone, when all programs have ended: one of
GoogleTest by itself, a script as a whole. If it passes then, it is flaky: it is
named, and counts as passed, as long as a run has no more than three of them.
Nothing is run again of a program that died or hung, nor where more than ten
tests failed. The log of the first failure stays, NAME.log; the other one is
NAME.again.log.

The program that took longest in the last run with all its tests starts first,
so that all ends come at the same time; where there was none, the budgets tell.
Three run on two processors, since many tests wait: for servers, leases and clocks.
`--shards NAME=N` makes N programs of a GoogleTest program, NAME.0 and so on.
Each program of GoogleTest has a folder of its own for temporary files.

`--filter-of NAME_tests=FILTER` takes the place of `--filter` for that program.

Beside the seconds that a program took stand those that processors worked for it.
Servers do not count to it, which go on when the program that started them ends.

`--budgets FILE` compares the seconds that the tests took with those that FILE
allows: lines of a program's name, or of a folder's for all programs in it, a
tab, and seconds. What takes longer is reported, and is no failure: times are
those of one machine, and vary on it.
"""

import argparse
import concurrent.futures
import dataclasses
import heapq
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from test_programs import (
    Outcome, Program, Programs, Result, fell, read_report)

MOST_FLAKY = 3
MOST_AGAIN = 10
SLOWEST = 10
TAIL = 40000  # characters of a log that are shown

# What hack/test compares with; the order of programs is made by it too.
BUDGETS = pathlib.Path(__file__).resolve().parent.parent / "tests/budgets.tsv"


class Runner:
    """Runs programs, and keeps what they write in the folder of results."""

    def __init__(self, arguments):
        self.programs = Programs()
        self._arguments = arguments
        self._results = arguments.results
        # Not in that folder: a Unix socket's path has 107 bytes at most.
        self._scratch = pathlib.Path(
            tempfile.mkdtemp(prefix="fluxnetes-run."))

    def clean_up(self):
        shutil.rmtree(self._scratch, ignore_errors=True)

    def run(self, program):
        log = self._results / f"{program.label}.log"
        (self._results / f"{program.label}.again.log").unlink(missing_ok=True)
        log.write_bytes(b"")
        tests = dict(self._arguments.filter_of).get(
            program.name, self._arguments.filter)
        return self._run(program, log, tests)

    def run_again(self, program, test=None):
        """Once more: a program, or one test of it."""
        log = self._results / f"{program.label}.again.log"
        program = dataclasses.replace(program, shard=0, shards=1)
        return self._run(program, log, test)

    def _run(self, program, log, tests):
        """Appends to the log what it writes."""
        report = log.with_suffix(".xml")
        report.unlink(missing_ok=True)
        command = [os.path.abspath(program.path)]
        if program.fuzz:
            corpus = f"tests/fuzz/corpus/{program.name.removesuffix('_fuzz')}"
            command.append(os.path.abspath(corpus))
        if program.googletest:
            command.append("--gtest_brief=1")
        before = log.stat().st_size if log.exists() else 0
        started = time.monotonic()
        with open(log, "ab") as file:
            code, processor = self.programs.run(
                command, file, self._environment(program, report, tests),
                self._empty_folder(log.stem), self._arguments.timeout)
        seconds = time.monotonic() - started
        text = log.read_bytes()[before:].decode(errors="replace")
        result = read_report(program, report, text, code)
        self._judge(program, result, code)
        if not program.googletest:
            result.times = [(seconds, program.label)]
        return Outcome(program, result, code, seconds, processor, text)

    def _empty_folder(self, name):
        # A program would find .fluxnetes/ in the checkout.
        folder = self._results / "cwd" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _environment(self, program, report, tests):
        environment = dict(os.environ)
        if program.googletest:
            environment["GTEST_FILTER"] = tests
            environment["GTEST_OUTPUT"] = f"xml:{report.resolve()}"
            # Names of files in it are the same in each process.
            environment["TEST_TMPDIR"] = tempfile.mkdtemp(dir=self._scratch)
        if program.shards > 1:
            environment["GTEST_TOTAL_SHARDS"] = str(program.shards)
            environment["GTEST_SHARD_INDEX"] = str(program.shard)
        return environment

    def _judge(self, program, result, code):
        label = program.label
        if code is None:
            result.failed.append(
                f"{label} (ended after {self._arguments.timeout} s)")
        elif code != 0 and not result.failed:
            result.failed.append(f"{label} (exit code {code})")
        elif not program.googletest and not result.passed and \
                not result.failed:
            result.failed.append(f"{label} (says nothing)")
        if fell(program, code):
            result.repeatable.clear()


def show(outcome):
    result, text = outcome.result, outcome.text
    word = "FAILED" if result.failed else "ok"
    if result.failed:
        print(text[-TAIL:], end="" if text.endswith("\n") else "\n")
    print(f"{outcome.program.label:<24} {word:<6} {result.count():5} tests "
          f"{outcome.seconds:7.1f} s {outcome.processor:7.1f} s of processors",
          flush=True)


def run_all(runner, programs, jobs):
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(runner.run, program) for program in programs]
        for future in concurrent.futures.as_completed(futures):
            outcomes.append(future.result())
            show(outcomes[-1])
    return outcomes


def passes_again(runner, outcome, test=None):
    again = runner.run_again(outcome.program, test)
    # As many as before: one that ends early or skips them shows nothing.
    first = outcome.result
    wanted = 1 if test else first.passed + len(first.failed)
    passes = not again.result.failed and again.result.passed >= wanted
    print(f"{test or outcome.program.label} was run again and "
          f"{'passed' if passes else 'failed'} in {again.seconds:.1f} s",
          flush=True)
    return passes


def find_flaky(runner, outcomes):
    """Runs again what failed; gives (its result, its name) of the flaky."""
    failed = [outcome for outcome in outcomes if outcome.result.repeatable]
    count = sum(len(outcome.result.repeatable) for outcome in failed)
    if count > MOST_AGAIN:
        print(f"{count} tests failed; none is run again, as it would be if "
              f"there were {MOST_AGAIN} at most")
        return []
    flaky = []
    for outcome in failed:
        names = outcome.result.repeatable
        if outcome.program.googletest:
            names = [name for name in names
                     if passes_again(runner, outcome, name)]
        elif not passes_again(runner, outcome):
            names = []
        flaky += [(outcome.result, name) for name in names]
    return flaky


def count_flaky(flaky):
    """Of the results; gives the names of those that count as passed."""
    for result, name in flaky:
        result.failed.remove(name)
        if len(flaky) <= MOST_FLAKY:
            result.passed += 1
        else:
            result.failed.append(f"{name} (flaky; more than three)")
    return [name for _, name in flaky] if len(flaky) <= MOST_FLAKY else []


def read_seconds(path):
    """{name: seconds} of a file of names, tabs and seconds."""
    seconds = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line and not line.startswith("#"):
            try:
                name, figure = line.split("\t")
                seconds[name] = float(figure)
            except ValueError:
                sys.exit(f"{path}:{number}: expected a name, a tab, seconds")
    return seconds


def keep_times(path, times, outcomes):
    """For the next run: how long the programs took that ran to their end."""
    for outcome in outcomes:
        if not fell(outcome.program, outcome.code):
            times[outcome.program.label] = outcome.seconds
    new = path.with_suffix(".new")
    new.write_text("".join(f"{label}\t{seconds:.1f}\n"
                           for label, seconds in sorted(times.items())))
    new.replace(path)


def longest_first(programs, times, budgets):
    def expected(program):
        if program.label in times:
            return times[program.label]
        for known in (times, budgets):
            if program.name in known:
                return known[program.name] / program.shards
        beside = sum(other.folder == program.folder for other in programs)
        return budgets.get(program.folder, 0) / beside

    return sorted(programs, key=expected, reverse=True)


def over_budget(outcomes, budgets):
    for name, budget in budgets.items():
        mine = [outcome.result for outcome in outcomes
                if name in (outcome.program.name, outcome.program.folder)]
        took = sum(seconds for result in mine for seconds, _ in result.times)
        if not mine:
            yield f"budget without a program: {name}"
        elif took > budget:
            yield f"over budget: {name} took {took:.1f} s of {budget:g} s"


def print_slowest(outcomes):
    times = [entry for outcome in outcomes for entry in outcome.result.times]
    print("slowest:")
    for seconds, name in heapq.nlargest(SLOWEST, times):
        print(f"  {seconds:8.1f} s  {name}")


def conclude(outcomes, flaky, tests):
    """Says what came of it, the counts in the last line; the exit code."""
    named = count_flaky(flaky)
    total = Result()
    for outcome in outcomes:
        total.add(outcome.result)
    for reason in total.skipped:
        print(f"skipped: {reason}")
    for name in named:
        print(f"flaky: {name}")
    for name in total.failed:
        print(f"failed: {name}")
    if total.count() == 0:
        print(f"no test matches {tests}")
    if flaky:
        print(f"{len(flaky)} flaky")
    print(f"{total.passed} passed, {len(total.failed)} failed, "
          f"{len(total.skipped)} skipped")
    return 1 if total.failed or total.count() == 0 else 0


def run_and_conclude(runner, arguments):
    results = arguments.results
    results.mkdir(parents=True, exist_ok=True)
    kept = results / "times.tsv"
    times = read_seconds(kept) if kept.exists() else {}
    budgets = read_seconds(arguments.budgets or BUDGETS)
    programs = longest_first(arguments.programs, times, budgets)
    outcomes = run_all(runner, programs, arguments.jobs)
    outcomes += run_all(runner, arguments.alone, 1)
    if arguments.filter == "*" and not arguments.filter_of:
        keep_times(kept, times, outcomes)
    flaky = find_flaky(runner, outcomes)
    print_slowest(outcomes)
    if arguments.budgets:
        for report in over_budget(outcomes, budgets):
            print(report)
    return conclude(outcomes, flaky, arguments.filter)


def in_shards(paths, shards):
    programs = []
    for path in paths:
        count = shards.pop(path.name, 1)
        programs += [Program(path, shard, count) for shard in range(count)]
    if shards:
        sys.exit(f"argument --shards: no program {', '.join(shards)} is run")
    return programs


def name_and_count(text):
    name, _, count = text.partition("=")
    if not name.endswith("_tests") or not 0 < int(count) < 100:
        raise ValueError
    return name, int(count)


def name_and_filter(text):
    name, parted, tests = text.partition("=")
    if not name.endswith("_tests") or not parted:
        raise ValueError
    return name, tests


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--filter-of", type=name_and_filter, action="append",
                        default=[], metavar="NAME_tests=FILTER")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=1800)
    parser.add_argument("--budgets", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--shards", type=name_and_count, action="append",
                        default=[], metavar="NAME_tests=N")
    parser.add_argument("--alone", type=pathlib.Path, action="append",
                        default=[], metavar="PROGRAM")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.programs = in_shards(arguments.programs, dict(arguments.shards))
    arguments.alone = in_shards(arguments.alone, {})
    return arguments


def main():
    arguments = read_arguments()
    runner = Runner(arguments)

    def interrupted(number, _):
        runner.programs.stop()
        runner.clean_up()
        os._exit(128 + number)

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        return run_and_conclude(runner, arguments)
    finally:
        runner.clean_up()


if __name__ == "__main__":
    sys.exit(main())
