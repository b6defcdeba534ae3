"""The programs of tests, and what they report: for run_tests.py."""

import dataclasses
import os
import pathlib
import signal
import subprocess
import threading
import xml.etree.ElementTree


@dataclasses.dataclass(frozen=True)
class Program:
    path: pathlib.Path
    shard: int = 0
    shards: int = 1

    @property
    def name(self):
        return self.path.name

    @property
    def label(self):
        return f"{self.name}.{self.shard}" if self.shards > 1 else self.name

    @property
    def folder(self):
        return self.path.absolute().parent.name

    @property
    def googletest(self):
        return self.name.endswith("_tests")

    @property
    def fuzz(self):
        return self.name.endswith("_fuzz")


@dataclasses.dataclass
class Result:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    # Of the failed ones, those that another run may show to be flaky.
    repeatable: list = dataclasses.field(default_factory=list)
    times: list = dataclasses.field(default_factory=list)  # (seconds, test)

    def count(self):
        return self.passed + len(self.failed) + len(self.skipped)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.times += other.times


@dataclasses.dataclass
class Outcome:
    program: Program
    result: Result
    code: int | None  # None: it ran out of time
    seconds: float
    processor: float  # seconds that processors worked for it
    text: str


class Programs:
    """The programs that run; each leads a process group, ended as a whole."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self._stopped = False

    def run(self, command, log, environment, folder, timeout):
        """The exit code, None if it ran out of time, and the seconds that
        processors worked for it and for what it waited for."""
        with self._lock:
            if self._stopped:
                return None, 0.0
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env=environment, cwd=folder,
                start_new_session=True)
            self._running.add(process.pid)
        late = threading.Event()

        def end_late():
            late.set()
            self._end(process.pid)

        timer = threading.Timer(timeout, end_late)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
            self._end(process.pid)
        # Popen would wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        return (None if late.is_set() else process.returncode,
                usage.ru_utime + usage.ru_stime)

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
        result.times.append((float(case.get("time", 0)), name))
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            result.failed.append(name)
            # What fails around the tests of a suite has no name to run it by.
            if case.get("name"):
                result.repeatable.append(name)
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
            result.repeatable.append(result.failed[-1])
        elif line.startswith("skipped "):
            claim, _, reason = line[len("skipped "):].partition(": ")
            if reason:
                result.skipped.append(f"{claim}: {reason}")
            else:
                result.failed.append(f"{claim} (skipped without a reason)")
    return result


def read_report(program, report, text, code):
    if program.fuzz:
        return Result(passed=int(code == 0))
    if not program.googletest:
        return read_script(text)
    try:
        return read_googletest(report)
    except (FileNotFoundError, xml.etree.ElementTree.ParseError):
        # It ended before its report was written, whatever its exit code is.
        return Result(failed=[f"{program.label} (exit code {code}, no report)"]
                      if code is not None else [])


def fell(program, code):
    """Whether a program ended in another way than one whose tests fail."""
    if program.googletest:
        return code not in (0, 1)
    return code is None or not 0 <= code < 128
