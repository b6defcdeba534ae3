"""The files that package managers take: the chart for Helm, a package for Debian
12, and a plugin for krew."""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from release_oci import below, tar_of, zipped
from release_statements import owners, version_of

MAINTAINER = "The Fluxnetes maintainers <maintainers@fluxnetes.dev>"
SUMMARY = "PostgreSQL-backed batch and gang scheduler for Kubernetes"


def chart(chart_folder, folder, version, source):
    path = folder / f"fluxnetes-{version}.tgz"
    files = [(name, each) for name, each in below(chart_folder, "fluxnetes/")
             if each.is_file()]
    path.write_bytes(zipped(tar_of(files, source.epoch)))
    return path


def _libraries_of(program):
    """The files of the libraries that the program itself names."""
    text = subprocess.run(["readelf", "-d", program], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    named = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    text = subprocess.run(["ldd", program], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.MULTILINE))
    return sorted({str(pathlib.Path(places[name]).resolve())
                   for name in named if name in places})


def depends(program):
    """What the package needs: the libraries, at least as new as they are here."""
    names = sorted(set(owners(_libraries_of(program)).values()))
    # A rebuild for security or of an architecture has a longer version.
    versions = [re.sub(r"[+~]deb\d+u\d+$|\+b\d+$", "", version_of(name))
                for name in names]
    return ", ".join(f"{name} (>= {version}~)"
                     for name, version in zip(names, versions))


def _copyright(checkout):
    notes = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/"
             "1.0/", "Upstream-Name: fluxnetes", "",
             "Files: *", "Copyright: The Fluxnetes maintainers",
             "License: Apache-2.0", " On Debian systems the text is in",
             " /usr/share/common-licenses/Apache-2.0."]
    for licence in sorted((checkout / "services/web/pages/vendor").glob(
            "*/LICENSE")):
        text = licence.read_text(encoding="utf-8").strip()
        holder = re.search(r"Copyright .*", text)[0]
        body = "\n".join(f" {line}" if line.strip() else " ."
                         for line in text.splitlines())
        notes += ["", f"Files: services/web/pages/vendor/{licence.parent.name}/*",
                  f"Copyright: {holder.removeprefix('Copyright ')}",
                  f"License: MIT-{licence.parent.name}", body]
    return "\n".join(notes) + "\n"


def _zip_to(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def _say(program, *words):
    return subprocess.run([program, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def _fill(root, program, version, source, checkout):
    commands = root / "usr/bin"
    commands.mkdir(parents=True)
    shutil.copy(program, commands / "fluxnetes")
    for name in ("kubectl-fluxnetes", "kubectl_complete-fluxnetes"):
        (commands / name).symlink_to("fluxnetes")
    with tempfile.TemporaryDirectory() as pages:
        _say(program, "man", "--directory", pages)
        for page in pathlib.Path(pages).rglob("*.1"):
            _zip_to(root / f"usr/share/man/man1/{page.name}.gz",
                    page.read_bytes())
    for shell, place in (("bash", "bash-completion/completions/fluxnetes"),
                         ("zsh", "zsh/vendor-completions/_fluxnetes"),
                         ("fish", "fish/vendor_completions.d/fluxnetes.fish")):
        path = root / "usr/share" / place
        path.parent.mkdir(parents=True)
        path.write_text(_say(program, "completion", shell), encoding="utf-8")
    notes = root / "usr/share/doc/fluxnetes"
    notes.mkdir(parents=True)
    (notes / "copyright").write_text(_copyright(checkout), encoding="utf-8")
    date = subprocess.run(["date", "-R", "-u", "-d", f"@{source.epoch}"],
                          text=True, check=True, stdout=subprocess.PIPE).stdout
    # A native package: its version has no revision of Debian's.
    _zip_to(notes / "changelog.gz",
            f"fluxnetes ({version}) bookworm; urgency=medium\n\n  * The program "
            f"at commit {source.commit}.\n\n -- {MAINTAINER}  {date}".encode())


def debian(program, folder, version, source, checkout):
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        _fill(root, program, version, source, checkout)
        size = sum(path.lstat().st_size for path in root.rglob("*")) // 1024
        sums = "".join(
            f"{hashlib.md5(path.read_bytes()).hexdigest()}  "
            f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*"))
            if path.is_file() and not path.is_symlink())
        control = root / "DEBIAN"
        control.mkdir()
        (control / "md5sums").write_text(sums, encoding="utf-8")
        (control / "control").write_text(
            f"Package: fluxnetes\nVersion: {version}\nArchitecture: amd64\n"
            f"Maintainer: {MAINTAINER}\nInstalled-Size: {size}\n"
            f"Depends: {depends(program)}\nRecommends: ca-certificates\n"
            "Suggests: postgresql\nSection: admin\nPriority: optional\n"
            f"Description: {SUMMARY}\n"
            " Fluxnetes collects the pods of a group, finds out where and when the\n"
            " whole group fits, and binds all of its pods or none. Its state is in\n"
            " PostgreSQL. This package has the program, which is scheduler and\n"
            " command line, also as a plugin of kubectl.\n", encoding="utf-8")
        for path in [root, *root.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or
                           path == root / "usr/bin/fluxnetes" else 0o644)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root,
             folder / f"fluxnetes_{version}_amd64.deb"], check=True,
            stdout=subprocess.DEVNULL, env={
                **os.environ, "SOURCE_DATE_EPOCH": str(source.epoch)})


WRAPPER = """#!/bin/sh
# Runs the program with the libraries beside it, whatever this Linux has.
place=$(dirname "$(readlink -f "$0")")
exec "$place/lib64/ld-linux-x86-64.so.2" --library-path "$place/lib" \\
  --argv0 "$(basename "$0")" "$place/fluxnetes" "$@"
"""


def plugin(root, folder, version, source, url, checkout):
    """An archive that runs on any Linux of x86-64, and krew's manifest of it."""
    name = f"kubectl-fluxnetes_{version}_linux_amd64.tar.gz"
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        shutil.copytree(root / "usr/lib64", place / "lib64")
        (place / "lib").mkdir()
        for path in (root / "usr/lib").rglob("*.so*"):
            shutil.copy(path, place / "lib")
        shutil.copy(root / "usr/local/bin/fluxnetes", place)
        shutil.copy(checkout / "LICENSE", place)
        for called in ("kubectl-fluxnetes", "kubectl_complete-fluxnetes"):
            (place / called).write_text(WRAPPER, encoding="utf-8")
            (place / called).chmod(0o755)
        content = zipped(tar_of(below(place), source.epoch))
    (folder / name).write_bytes(content)
    (folder / "fluxnetes.krew.yaml").write_text(yaml.safe_dump({
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin", "metadata": {"name": "fluxnetes"},
        "spec": {
            "version": f"v{version}", "shortDescription":
            "Submit, watch and explain gangs of Fluxnetes",
            "description": "Commands of the batch scheduler Fluxnetes: what waits "
            "and why, what\nruns where, queues, accounts and simulations. They "
            "need its database.\n",
            "platforms": [{
                "selector": {"matchLabels": {"os": "linux", "arch": "amd64"}},
                "uri": f"{url}/{name}",
                "sha256": hashlib.sha256(content).hexdigest(),
                "bin": "kubectl-fluxnetes"}]}}, sort_keys=False),
        encoding="utf-8")
