"""Makes the package fluxnetes.v1 when a wheel is built: messages, stubs and their
types, from services/proto of the checkout, or from the copy of it in an sdist."""

import os
import pathlib
import sys
import sysconfig
import tempfile

from grpc_tools import protoc
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLUGINS = ("mypy", "mypy_grpc")


def generate(protos, folder):
    """Writes the code of all .proto files below `protos` to `folder`."""
    names = sorted(str(path.relative_to(protos))
                   for path in (protos / "fluxnetes").rglob("*.proto"))
    if not names:
        sys.exit(f"{protos}: there is no .proto file")
    well_known = pathlib.Path(protoc.__file__).parent / "_proto"
    # The plugins are beside this Python, which need not be on the PATH.
    os.environ["PATH"] = os.pathsep.join(
        [sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    out = [f"--{kind}_out={folder}" for kind in ("python", "grpc_python")]
    out += [f"--{plugin}_out=quiet:{folder}" for plugin in PLUGINS]
    if protoc.main(["protoc", f"-I{protos}", f"-I{well_known}", *out, *names]):
        sys.exit("protoc failed")
    # Files without a service have empty stubs.
    for path in (folder / "fluxnetes/v1").glob("*_pb2_grpc.py*"):
        if not path.name.startswith("scheduler_"):
            path.unlink()
    (folder / "fluxnetes/v1/__init__.py").write_text(
        '"""Messages and stubs of the gRPC API, made from its .proto files."""\n',
        encoding="utf-8")


class BuildProtos(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version, build_data):
        root = pathlib.Path(self.root)
        protos = root / "proto"  # of an sdist
        if not protos.is_dir():
            protos = root / "../../services/proto"
        if self.target_name == "sdist":
            build_data["force_include"][str(protos / "fluxnetes")] = \
                "proto/fluxnetes"
            return
        self._made = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._made.name)
        generate(protos.resolve(), folder)
        build_data["force_include"][str(folder / "fluxnetes/v1")] = \
            "fluxnetes/v1"

    def finalize(self, version, build_data, artifact_path):
        if self.target_name != "sdist":
            self._made.cleanup()
