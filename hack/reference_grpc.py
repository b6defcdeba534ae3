#!/usr/bin/python3
"""Prints docs/grpc-reference.md: the declarations of the .proto files in a folder.

    reference_grpc.py FOLDER

protoc parses the files with their comments; a comment is copied to the page, with
its indented paragraphs as code blocks.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

try:
    from google.protobuf import descriptor_pb2
except ModuleNotFoundError:
    sys.exit("hack/reference: needs python3-protobuf (hack/install test)")

File = descriptor_pb2.FileDescriptorProto
Message = descriptor_pb2.DescriptorProto
Service = descriptor_pb2.ServiceDescriptorProto
Enum = descriptor_pb2.EnumDescriptorProto
Field = descriptor_pb2.FieldDescriptorProto

HEAD = """# gRPC reference

Every service, call, message, field and enum, with what the files in
[services/proto](../services/proto) say of them; `hack/reference` makes this page of these
files. How to reach the server, who may do what, watching and errors: [gRPC](grpc.md).
"""
OURS = "fluxnetes.v1."  # goes without saying


def described(folder):
    """Returns the descriptors of all files: ours first, then by folder, and within a
    folder those with services first."""
    names = sorted(str(path.relative_to(folder))
                   for path in pathlib.Path(folder).rglob("*.proto"))
    with tempfile.NamedTemporaryFile() as made:
        subprocess.run(["protoc", f"--proto_path={folder}", "--include_source_info",
                        f"--descriptor_set_out={made.name}", *names], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(made.read()).file
    return sorted(files, key=lambda f: (not f"{f.package}.".startswith(OURS),
                                        f.name.rpartition("/")[0], not f.service, f.name))


class Comments:
    """The comments of a file, by the path of the declaration they precede."""

    def __init__(self, file):
        self._at = {tuple(place.path): place
                    for place in file.source_code_info.location}

    def of(self, path):
        place = self._at.get(path)
        return place.leading_comments if place else ""

    def before(self, path):
        """Returns the detached comments before a declaration."""
        place = self._at.get(path)
        return place.leading_detached_comments if place else []


def prose(comment):
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", comment.rstrip()):
        lines = [line.removeprefix(" ") for line in paragraph.strip("\n").split("\n")]
        if lines[0].startswith(" "):
            margin = min(len(line) - len(line.lstrip()) for line in lines)
            lines = ["```", *(line[margin:] for line in lines), "```"]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def cell(comment):
    return " ".join(comment.split()).replace("|", "\\|")


def name_of(full_name):
    return full_name.lstrip(".").removeprefix(OURS)


def link(full_name):
    name = name_of(full_name)
    if name.startswith("google.protobuf."):
        return f"`{name}`"
    return f"[{name}](#{re.sub(r'[^a-z0-9_]', '', name.lower())})"


def scalar(field):
    if field.type_name:
        return link(field.type_name)
    return f"`{Field.Type.Name(field.type).removeprefix('TYPE_').lower()}`"


def type_of(field, maps):
    if entry := maps.get(field.type_name.rpartition(".")[2]):
        key, value = entry.field
        return f"map of {scalar(key)} to {scalar(value)}"
    if field.label == Field.LABEL_REPEATED:
        return f"repeated {scalar(field)}"
    if field.proto3_optional:
        return f"optional {scalar(field)}"
    return scalar(field)


def table(head, rows):
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


class Page:
    def __init__(self, file):
        self._file = file
        self._comments = Comments(file)

    def parts(self):
        """Returns paragraphs, headings and tables."""
        yield f"## {self._file.name}"
        yield f"Package `{self._file.package}`."
        yield prose(self._comments.of((File.SYNTAX_FIELD_NUMBER,)))
        package = self._file.package
        for kind, number, make in (
                (self._file.service, File.SERVICE_FIELD_NUMBER, self._service),
                (self._file.enum_type, File.ENUM_TYPE_FIELD_NUMBER, self._enum),
                (self._file.message_type, File.MESSAGE_TYPE_FIELD_NUMBER, self._message)):
            for index, one in enumerate(kind):
                yield from make(one, f"{package}.{one.name}", (number, index))

    def _head(self, full_name, path):
        yield from map(prose, self._comments.before(path))
        yield f"### {name_of(full_name)}"
        yield prose(self._comments.of(path))

    def _service(self, service, full_name, path):
        yield from self._head(full_name, path)
        yield table(("call", "asked by", "answered by", "does"), [
            (f"`{call.name}`", link(call.input_type),
             ("a stream of " if call.server_streaming else "") + link(call.output_type),
             cell(self._comments.of((*path, Service.METHOD_FIELD_NUMBER, index))))
            for index, call in enumerate(service.method)])

    def _enum(self, enum, full_name, path):
        yield from self._head(full_name, path)
        yield table(("value", "number", "is"), [
            (f"`{value.name}`", str(value.number),
             cell(self._comments.of((*path, Enum.VALUE_FIELD_NUMBER, index))))
            for index, value in enumerate(enum.value)])

    def _message(self, message, full_name, path):
        yield from self._head(full_name, path)
        maps = {one.name: one for one in message.nested_type if one.options.map_entry}
        yield table(("field", "number", "type", "is"), [
            (f"`{field.name}`", str(field.number), type_of(field, maps),
             cell(self._comments.of((*path, Message.FIELD_FIELD_NUMBER, index))))
            for index, field in enumerate(message.field)]) if message.field \
            else "No fields."
        for index, one in enumerate(message.nested_type):
            if one.name not in maps:
                yield from self._message(one, f"{full_name}.{one.name}",
                                         (*path, Message.NESTED_TYPE_FIELD_NUMBER, index))
        for index, one in enumerate(message.enum_type):
            yield from self._enum(one, f"{full_name}.{one.name}",
                                  (*path, Message.ENUM_TYPE_FIELD_NUMBER, index))


def main():
    parts = [HEAD.rstrip()]
    for file in described(sys.argv[1]):
        parts += filter(None, Page(file).parts())
    print("\n\n".join(parts))


main()
