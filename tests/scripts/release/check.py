#!/usr/bin/python3
"""Looks at what hack/release has made in a folder.

    check.py layouts DIR          each descriptor of the OCI layouts has its blob, of
                                  its size and digest, and each blob a descriptor
    check.py unpack DIR ROOT      writes the layer of the image to ROOT
    check.py config DIR           prints user, entry point and command of the image
    check.py sbom DIR ROOT        the SBOM has each file of the image, once, as it is,
                                  and for each package the version of this machine
    check.py provenance DIR       the provenance has each file with its digest, and
                                  the image
    check.py referrers DIR        both are referrers of the image, as they are
    check.py krew DIR URL         krew's manifest names the archive, and its digest
    check.py images CHART YAML    the chart's annotation has the images of a rendering
"""

import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile

import yaml


def fail(words):
    sys.exit(f"check.py: {words}")


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def blob(layout, it):
    content = (layout / "blobs" / it["digest"].replace(":", "/")).read_bytes()
    if len(content) != it["size"] or f"sha256:{sha256(content)}" != it["digest"]:
        fail(f"{layout}: {it['digest']} has other content")
    return content


def manifests(layout):
    """(descriptor, manifest) of all in the index."""
    if json.loads((layout / "oci-layout").read_bytes()) != {
            "imageLayoutVersion": "1.0.0"}:
        fail(f"{layout}: is no layout")
    index = json.loads((layout / "index.json").read_bytes())
    return [(it, json.loads(blob(layout, it))) for it in index["manifests"]]


def layouts(folder):
    for name in ("image", "chart"):
        layout = folder / "oci" / name
        seen = set()
        for it, manifest in manifests(layout):
            for each in (it, manifest["config"], *manifest["layers"]):
                blob(layout, each)
                seen.add(each["digest"].partition(":")[2])
        there = {path.name for path in (layout / "blobs/sha256").iterdir()}
        if seen != there:
            fail(f"{layout}: blobs that nobody names: {there - seen}")


def image(folder):
    layout = folder / "oci/image"
    it, manifest = manifests(layout)[0]
    return layout, it, manifest


def unpack(folder, root):
    layout, _, manifest = image(folder)
    if len(manifest["layers"]) != 1:
        fail("the image has not one layer")
    content = blob(layout, manifest["layers"][0])
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        tar.extractall(root, numeric_owner=True)
    config = json.loads(blob(layout, manifest["config"]))
    done = subprocess.run(["gzip", "-dc"], input=content, check=True,
                          stdout=subprocess.PIPE)
    if config["rootfs"]["diff_ids"] != [f"sha256:{sha256(done.stdout)}"]:
        fail("the layer is not the one of the configuration")


def config(folder):
    layout, _, manifest = image(folder)
    it = json.loads(blob(layout, manifest["config"]))["config"]
    print(it["User"], it["Entrypoint"], it["Cmd"], it["Env"])


def sbom(folder, root):
    it = json.loads(next(folder.glob("*.spdx.json")).read_bytes())
    if it["spdxVersion"] != "SPDX-2.3" or it["dataLicense"] != "CC0-1.0":
        fail("is no SPDX 2.3")
    # Files of the system that say nothing but who the user is.
    ours = {"/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}
    there = {"/" + str(path.relative_to(root)): path for path in root.rglob("*")
             if path.is_file() and not path.is_symlink()}
    there = {name: path for name, path in there.items()
             if not path.resolve() != path and name not in ours}
    said = {each["fileName"]: each["checksums"][1]["checksumValue"]
            for each in it["files"]}
    if len(said) != len(it["files"]) or set(said) != set(there):
        fail(f"files differ: {set(said) ^ set(there)}")
    for name, path in there.items():
        if said[name] != sha256(path.read_bytes()):
            fail(f"{name}: another checksum")
    ids = [each["SPDXID"] for each in it["packages"] + it["files"]]
    if len(set(ids)) != len(ids):
        fail("an id is there twice")
    for relation in it["relationships"]:
        ends = {relation["spdxElementId"], relation["relatedSpdxElement"]}
        if not ends <= {*ids, it["SPDXID"]}:
            fail(f"a relation with nothing: {relation}")
    kinds = {}
    for package in it["packages"]:
        purl = package["externalRefs"][0]["referenceLocator"]
        kinds.setdefault(purl.partition("/")[0], []).append(package["name"])
        if purl.startswith("pkg:deb/"):
            version = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}\n", package["name"]],
                check=True, text=True, stdout=subprocess.PIPE).stdout
            if version.splitlines()[0] != package["versionInfo"]:
                fail(f"{package['name']} has the version {version}")
    for kind, least in (("pkg:deb", "libpqxx-6.4"), ("pkg:npm", "preact"),
                        ("pkg:generic", "fluxnetes")):
        if least not in kinds.get(kind, ()):
            fail(f"{least} is not there: {kinds}")


def provenance(folder):
    it = json.loads((folder / "provenance.json").read_bytes())
    if it["_type"] != "https://in-toto.io/Statement/v1" or \
            it["predicateType"] != "https://slsa.dev/provenance/v1":
        fail("is no statement of provenance")
    subjects = {each["name"]: each["digest"]["sha256"] for each in it["subject"]}
    for path in folder.iterdir():
        if path.is_file() and path.name not in ("SHA256SUMS",
                                                "provenance.json"):
            if subjects.pop(path.name, None) != sha256(path.read_bytes()):
                fail(f"{path.name} is no subject, or another one")
    digest = image(folder)[1]["digest"]
    if [f"sha256:{value}" for value in subjects.values()] != [digest]:
        fail(f"other subjects than the image are left: {subjects}")
    commit = it["predicate"]["buildDefinition"]["resolvedDependencies"][0]
    done = subprocess.run(["git", "rev-parse", "HEAD"], check=True, text=True,
                          stdout=subprocess.PIPE)
    if commit["digest"]["gitCommit"] != done.stdout.strip():
        fail(f"another commit: {commit}")


def referrers(folder):
    layout, it, _ = image(folder)
    wanted = {"application/spdx+json": next(folder.glob("*.spdx.json")),
              "application/vnd.in-toto+json": folder / "provenance.json"}
    for _, manifest in manifests(layout)[1:]:
        path = wanted.pop(manifest["artifactType"])
        if manifest["subject"]["digest"] != it["digest"] or \
                blob(layout, manifest["layers"][0]) != path.read_bytes():
            fail(f"{path.name} is not what refers to the image")
    if wanted:
        fail(f"nothing refers to the image as {list(wanted)}")


def krew(folder, url):
    it = yaml.safe_load((folder / "fluxnetes.krew.yaml").read_text("utf-8"))
    platform, = it["spec"]["platforms"]
    name = platform["uri"].removeprefix(f"{url}/")
    if it["kind"] != "Plugin" or it["metadata"]["name"] != "fluxnetes" or \
            not re.fullmatch(r"v\d+\.\d+\.\d+", it["spec"]["version"]) or \
            len(it["spec"]["shortDescription"]) > 50:
        fail(f"is no plugin: {it}")
    content = (folder / name).read_bytes()
    if platform["sha256"] != sha256(content):
        fail("another archive")
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        names = tar.getnames()
    if platform["bin"] not in names or "LICENSE" not in names:
        fail(f"the archive has {names}")


def images(chart, rendered):
    notes = yaml.safe_load((chart / "Chart.yaml").read_text("utf-8"))[
        "annotations"]
    said = {each["image"] for each in yaml.safe_load(
        notes["artifacthub.io/images"])}
    found = set(re.findall(r"^\s*(?:- )?image: \"?([^\"\n]+)", rendered.read_text(
        encoding="utf-8"), re.MULTILINE))
    if said != found:
        fail(f"said are {said}, found {found}")
    for change in yaml.safe_load(notes["artifacthub.io/changes"]):
        if change["kind"] not in ("added", "changed", "deprecated", "removed",
                                  "fixed", "security"):
            fail(f"no kind of change: {change}")


def main():
    checks = (layouts, unpack, config, sbom, provenance, referrers, krew, images)
    chosen = {each.__name__: each for each in checks}[sys.argv[1]]
    words = sys.argv[2:]
    chosen(*(word if "://" in word else pathlib.Path(word) for word in words))


if __name__ == "__main__":
    main()
