"""What is said of a release: the SBOM (SPDX 2.3) and the provenance (SLSA 1, in an
in-toto statement)."""

import dataclasses
import hashlib
import pathlib
import re
import subprocess

from release_oci import as_json, rfc3339

BUILD_TYPE = "https://fluxnetes.dev/release/v1"
NAMESPACE = "https://fluxnetes.dev/spdx"
LICENCE = "Apache-2.0"


@dataclasses.dataclass(frozen=True)
class Source:
    commit: str
    changed: bool  # the checkout has more than the commit
    epoch: int  # seconds, the time of all that is made


@dataclasses.dataclass(frozen=True)
class Part:
    """A package of which the image has files."""

    name: str
    version: str
    purl: str
    licence: str
    files: tuple[pathlib.Path, ...]  # below the root of the image
    inside: str = ""  # another part that it is compiled into


def owners(files):
    """{file of this machine: its Debian package}"""
    found = {}
    # Debian 12 has /lib in /usr, and its database either name.
    names = [name for file in files for name in (file, file.removeprefix("/usr"))]
    done = subprocess.run(["dpkg-query", "--search", *names], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    for line in done.stdout.splitlines():
        package, _, file = line.partition(": ")
        for name in (file, "/usr" + file):
            found.setdefault(name, package.partition(":")[0])
    return {file: found[file] for file in files if file in found}


def version_of(package):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}\n", package], text=True,
        stdout=subprocess.PIPE, check=True).stdout.splitlines()[0]


def parts_of(root, version, checkout):
    """The program, what is compiled into it, and Debian's packages. A library of
    no package is an error: nobody could say where it is from."""
    libraries = [path for path in sorted(root.rglob("*"))
                 if path.is_file() and not path.is_symlink() and
                 "usr/lib" in str(path.relative_to(root))]
    # A file is often there under a link's name, so ask for what it is.
    real = {path: str(pathlib.Path("/", path.relative_to(root)).resolve())
            for path in libraries}
    known = owners(sorted(set(real.values())))
    if missing := sorted(set(real.values()) - set(known)):
        raise SystemExit(f"hack/release: no Debian package has {missing}")
    certificates = root / "etc/ssl/certs/ca-certificates.crt"
    packages = {"ca-certificates": [certificates]}
    for path in libraries:
        packages.setdefault(known[real[path]], []).append(path)
    debian = [Part(name, number := version_of(name),
                   f"pkg:deb/debian/{name}@{number.replace('+', '%2B')}"
                   "?arch=amd64&distro=debian-12", "NOASSERTION", tuple(files))
              for name, files in sorted(packages.items())]
    program = root / "usr/local/bin/fluxnetes"
    ours = Part("fluxnetes", version, f"pkg:generic/fluxnetes@{version}", LICENCE,
                (program,))
    return [ours, *vendored(checkout), *debian]


def vendored(checkout):
    """What the pages have from npm; it is compiled into the program."""
    folder = checkout / "services/web/pages/vendor"
    for path in sorted(folder.glob("*/package.json")):
        text = path.read_text(encoding="utf-8")

        def of(key, text=text):
            return re.search(rf'"{key}":\s*"([^"]+)"', text)[1]

        name, number = of("name"), of("version")
        yield Part(name, number, f"pkg:npm/{name.replace('@', '%40')}@{number}",
                   of("license"), (), "fluxnetes")


def _id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(words))


def sbom(root, parts, version, source):
    packages, files, relations = [], [], []
    for part in parts:
        me = _id("package", part.name)
        packages.append({
            "SPDXID": me, "name": part.name, "versionInfo": part.version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": part.licence,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER",
                              "referenceType": "purl",
                              "referenceLocator": part.purl}]})
        relations.append((_id("DOCUMENT"), "DESCRIBES", me) if part is parts[0]
                         else (me, "STATIC_LINK", _id("package", part.inside))
                         if part.inside else
                         (_id("package", "fluxnetes"), "DEPENDS_ON", me))
        for path in part.files:
            content = path.read_bytes()
            name = f"/{path.relative_to(root)}"
            files.append({
                "SPDXID": _id("file", name), "fileName": name,
                "checksums": [
                    {"algorithm": kind, "checksumValue":
                     hashlib.new(kind.lower(), content).hexdigest()}
                    for kind in ("SHA1", "SHA256")],
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION"})
            relations.append((me, "CONTAINS", _id("file", name)))
    return as_json({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": _id("DOCUMENT"), "name": f"fluxnetes-{version}",
        "documentNamespace": f"{NAMESPACE}/fluxnetes-{version}-{source.commit}",
        "creationInfo": {"created": rfc3339(source.epoch),
                         "creators": ["Tool: hack-release"]},
        "packages": packages, "files": files,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind,
             "relatedSpdxElement": other} for one, kind, other in relations]})


def provenance(folder, parts, image, version, source):
    """The subjects are all files of the release and the image."""
    subjects = [{"name": str(path.relative_to(folder)), "digest": {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}}
        for path in sorted(folder.iterdir()) if path.is_file()]
    subjects.append({"name": f"image:{version}", "digest": {
        "sha256": image["digest"].partition(":")[2]}})
    return as_json({
        "_type": "https://in-toto.io/Statement/v1", "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"version": version},
                "internalParameters": {"checkoutHasMore": source.changed},
                "resolvedDependencies": [
                    {"uri": "git+fluxnetes", "digest":
                     {"gitCommit": source.commit}},
                    *({"uri": part.purl} for part in parts[1:])]},
            "runDetails": {
                "builder": {"id": f"{BUILD_TYPE}/hack-release"},
                "metadata": {"startedOn": rfc3339(source.epoch)}}}})
