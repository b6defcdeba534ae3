"""Turns .sql and other texts into C++ constants; see embed.cmake."""

import gzip
import pathlib
import re
import sys


def literal(text):
    """Returns a raw string literal, in pieces short enough for every compiler."""
    pieces = [text[i:i + 8000] for i in range(0, len(text), 8000)] or [""]
    return "\n".join(f'R"sql({piece})sql"' for piece in pieces)


def pascal(name):
    return "".join(part.title() for part in name.split("_"))


def parse_queries(path):
    queries = []
    blocks = re.split(r"(?m)^-- name: *", path.read_text())[1:]
    for block in blocks:
        name, _, rest = block.partition("\n")
        name = name.strip()
        lines = rest.split("\n")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            sys.exit(f"{path}: '{name}' is not a query name (snake_case)")
        if not lines[0].startswith("-- "):
            sys.exit(f"{path}: query {name} has no line that describes it")
        about = []
        while lines and lines[0].startswith("-- "):
            about.append(lines.pop(0)[3:])
        queries.append((name, about, "\n".join(lines).strip().rstrip(";")))
    names = [name for name, _, _ in queries]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"{path}: query {name} is there twice")
    return queries


def parameters_of(body):
    """The number of parameters, $1 to the highest one, outside of comments and texts."""
    code = re.sub(r"--[^\n]*|'(?:[^']|'')*'", " ", body)
    return max((int(number) for number in re.findall(r"\$(\d+)", code)), default=0)


def write_queries(folder, path, out):
    text = [f"// Made from {path.name}.", "#pragma once", "",
            '#include "sql/query.h"', "",
            f"namespace fluxnetes::{folder}::queries {{", ""]
    constants = []
    for name, about, body in parse_queries(path):
        constant = "k" + pascal(name)
        constants.append(constant)
        text += [f"// {line}" for line in about]
        kind = f"sql::QueryWith<{parameters_of(body)}>"
        text.append(f'inline constexpr {kind} {constant}{{{{"{name}",')
        text.append(f"{literal(body)}}}}};\n")
    text.append(f"inline constexpr sql::Query kAll{pascal(path.stem)}[] = {{")
    text += [f"    {constant}," for constant in constants]
    text += ["};", "", f"}}  // namespace fluxnetes::{folder}::queries", ""]
    out.write_text("\n".join(text))


def write_migrations(files, out):
    text = ['#include "migrations/migrations.h"', "",
            "namespace fluxnetes::migrations {", "namespace {",
            "constexpr sql::Migration kAll[] = {"]
    for expected, path in enumerate(sorted(files), start=1):
        version, _, name = path.stem.partition("_")
        if int(version) != expected:
            sys.exit(f"{path}: the next migration has number {expected:04}")
        text.append(f'    {{{expected}, "{name}",\n{literal(path.read_text())}}},')
    queue = [number for number, path in enumerate(sorted(files))
             if path.stem.partition("_")[2].startswith("work_queue")]
    text += ["};", "constexpr sql::Migration kQueue[] = {",
             *(f"    kAll[{number}]," for number in queue),
             "};", "}  // namespace", "",
             "std::span<const sql::Migration> All() { return kAll; }",
             "std::span<const sql::Migration> Queue() { return kQueue; }", "",
             "}  // namespace fluxnetes::migrations", ""]
    out.write_text("\n".join(text))


def write_texts(folder, files, out):
    text = ["#pragma once", "", "#include <string_view>", "",
            f"namespace fluxnetes::{folder} {{", ""]
    for path in files:
        name = pascal(f"{path.stem}_{path.suffix[1:]}")
        text += [f"// {path.name}",
                 f"inline constexpr std::string_view k{name} =",
                 f"{literal(path.read_text())};", ""]
    out.write_text("\n".join(text + [f"}}  // namespace fluxnetes::{folder}",
                                     ""]))


def octal_literal(data):
    """Returns a string literal of any bytes, in lines of 40."""
    pieces = [data[i:i + 40] for i in range(0, len(data), 40)] or [b""]
    return "\n".join(
        '"' + "".join(f"\\{byte:03o}" for byte in piece) + '"'
        for piece in pieces)


def write_pages(folder, files, out):
    text = ["#pragma once", "", "#include <string_view>", "#include <utility>",
            "", f"namespace fluxnetes::{folder} {{", "",
            "inline constexpr std::pair<std::string_view, std::string_view> "
            "kPageBytes[] = {"]
    files = [file for path in files
             for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    for path in files:
        data = gzip.compress(path.read_bytes(), 9, mtime=0)
        text.append(f'    {{"{path.name}", std::string_view('
                    f"{octal_literal(data)}, {len(data)})}},")
    out.write_text("\n".join(text + ["};", "",
                                     f"}}  // namespace fluxnetes::{folder}",
                                     ""]))


def main():
    mode, folder, *files = sys.argv[1:]
    *sources, out = [pathlib.Path(file) for file in files]
    out.parent.mkdir(parents=True, exist_ok=True)
    if mode == "queries":
        write_queries(folder, sources[0], out)
    elif mode == "pages":
        write_pages(folder, sources, out)
    elif mode == "texts":
        write_texts(folder, sources, out)
    else:
        write_migrations(sources, out)


if __name__ == "__main__":
    main()
