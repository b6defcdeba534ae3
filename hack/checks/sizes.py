#!/usr/bin/env python3
"""Reports files of over 500 lines and functions of over 60. A report only.

Takes names on standard input. A function begins at a line that opens a brace
at its end, below a namespace, class or file, and ends at the line that closes
it; the code is clang-formatted, so indentation tells.
"""

import re
import sys

FILE_LINES = 500
FUNCTION_LINES = 60
NOT_A_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|enum|union|extern|}|constexpr .*=|const .*=)")


def functions(lines):
    """(name, first line, length) of each function at most one level deep."""
    start = None
    for number, line in enumerate(lines, start=1):
        indent = len(line) - len(line.lstrip())
        if start is None:
            if indent <= 4 and line.endswith("{") and "(" in line + \
                    lines[max(0, number - 2)] and not NOT_A_FUNCTION.match(line):
                start, depth = number, indent
        elif line.startswith(" " * depth + "}") and indent == depth or \
                (indent < depth and line.startswith("}")):
            yield lines[start - 1].strip(), start, number - start + 1
            start = None


def main():
    for path in (line.rstrip("\n") for line in sys.stdin):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        if len(lines) - 1 > FILE_LINES:
            print(f"long: {path} has {len(lines) - 1} lines")
        if path.endswith(".cc"):
            for name, first, length in functions(lines):
                if length > FUNCTION_LINES:
                    print(f"long: {path}:{first} has {length} lines: {name}")


if __name__ == "__main__":
    main()
