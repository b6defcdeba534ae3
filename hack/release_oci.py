"""OCI layouts (image-spec 1.1): a folder of blobs, named by their digests, and an
index of manifests. Everything in them is a function of what is given."""

import gzip
import hashlib
import io
import json
import pathlib
import re
import tarfile
import time

import yaml

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
EMPTY = "application/vnd.oci.empty.v1+json"
CHART_CONFIG = "application/vnd.cncf.helm.config.v1+json"
CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
TAG = "org.opencontainers.image.ref.name"


def digest_of(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def as_json(value):
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def rfc3339(epoch):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))


def tar_of(files, epoch):
    """A tar of (name, path) in their order, owned by root, of this time."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w",
                      format=tarfile.GNU_FORMAT) as tar:
        for name, path in files:
            member = tar.gettarinfo(path, name)
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.islnk():  # the same file twice: as two files
                member.type, member.linkname = tarfile.REGTYPE, ""
                member.size = path.stat().st_size
            if member.isreg():
                with open(path, "rb") as file:
                    tar.addfile(member, file)
            else:
                tar.addfile(member)
    return content.getvalue()


def below(folder, prefix=""):
    """All of a folder, sorted: (name in a tar, path)."""
    return [(prefix + str(path.relative_to(folder)), path)
            for path in sorted(folder.rglob("*"))]


def zipped(content):
    return gzip.compress(content, compresslevel=6, mtime=0)


def image_config(dockerfile, source):
    """What the last stage of the Dockerfile says of user, path and command."""
    stage = dockerfile.read_text(encoding="utf-8").rpartition("\nFROM ")[2]

    def of(word):
        return re.search(rf"^{word} (.+)$", stage, re.MULTILINE)[1]

    return {
        "architecture": "amd64", "os": "linux",
        "created": rfc3339(source.epoch),
        "config": {
            "User": of("USER"), "Env": [of("ENV")],
            "Entrypoint": json.loads(of("ENTRYPOINT")),
            "Cmd": json.loads(of("CMD")),
            "Labels": {
                "org.opencontainers.image.title": "fluxnetes",
                "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.revision": source.commit}}}


class Layout:
    """A layout in a folder that it makes."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._blobs = self._folder / "blobs/sha256"
        self._blobs.mkdir(parents=True)
        (self._folder / "oci-layout").write_bytes(
            as_json({"imageLayoutVersion": "1.0.0"}))
        self._manifests = []

    def _add(self, content, media_type, **more):
        digest = digest_of(content)
        (self._blobs / digest.partition(":")[2]).write_bytes(content)
        return {"mediaType": media_type, "digest": digest,
                "size": len(content), **more}

    def _add_manifest(self, manifest, tag=None, artifact_type=None):
        more = {"annotations": {TAG: tag}} if tag else {}
        if artifact_type:
            more["artifactType"] = artifact_type
        it = self._add(as_json({"schemaVersion": 2, "mediaType": MANIFEST,
                                **manifest}), MANIFEST, **more)
        self._manifests.append(it)
        (self._folder / "index.json").write_bytes(as_json(
            {"schemaVersion": 2, "mediaType": INDEX,
             "manifests": self._manifests}))
        return {key: it[key] for key in ("mediaType", "digest", "size")}

    def add_image(self, root, config, version, epoch):
        """An image of one layer; returns its descriptor."""
        content = tar_of(below(root), epoch)
        layer = self._add(zipped(content), LAYER)
        config = {**config, "rootfs": {"type": "layers",
                                       "diff_ids": [digest_of(content)]},
                  "history": [{"created": config["created"],
                               "created_by": "hack/release"}]}
        return self._add_manifest({
            "config": self._add(as_json(config), CONFIG), "layers": [layer],
            "annotations": {
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.created": config["created"]}},
            version)

    def add_chart(self, chart, description, version):
        """A chart, as Helm pushes it to a registry."""
        meta = yaml.safe_load(description.read_text(encoding="utf-8"))
        self._add_manifest({
            "config": self._add(as_json(meta), CHART_CONFIG),
            "layers": [self._add(chart.read_bytes(), CHART)],
            "annotations": {
                "org.opencontainers.image.title": meta["name"],
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.description": meta["description"]}},
            version)

    def add_referrer(self, subject, media_type, content):
        """Something known of a manifest, which a registry lists beside it."""
        self._add_manifest({
            "artifactType": media_type, "subject": subject,
            "config": self._add(b"{}", EMPTY),
            "layers": [self._add(content, media_type)]},
            artifact_type=media_type)
