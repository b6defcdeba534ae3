#include "matcher/readers/jgf_vertex.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "matcher/readers/json_place.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kMostId = std::numeric_limits<std::int64_t>::max();

// Which keys the node has.
struct Given {
  bool id = false;
  bool metadata = false;
  bool type = false;
  bool basename = false;
  bool name = false;
  bool number = false;
  bool uniq_id = false;
  bool paths = false;
};

void Require(bool given, const JsonPath& of, const char* key) {
  if (given) return;
  of.Fail(std::string("has no \"") + key + "\", which is required");
}

void ReadProperties(JsonStream& in, const JsonPath& metadata, Vertex& vertex) {
  vertex.properties.clear();
  if (in.Peek() == JsonStream::Kind::kNull) return in.Skip();
  EnterObject(in, metadata, "properties");
  const JsonPath properties("properties", metadata);
  while (const auto key = in.NextKey()) {
    const std::string name(*key);
    vertex.properties[name] = ReadText(in, properties, name);
  }
}

// If a subsystem occurs twice, the last path counts.
void ReadPaths(JsonStream& in, const JsonPath& metadata, JgfVertex& read) {
  auto& all = read.paths;
  std::size_t count = 0;
  EnterObject(in, metadata, "paths");
  const JsonPath paths("paths", metadata);
  while (const auto key = in.NextKey()) {
    if (count == all.size()) all.emplace_back();
    auto& [subsystem, path] = all[count++];
    subsystem = *key;
    path = ReadText(in, paths, subsystem);
  }
  all.resize(count);
  if (count < 2) return;
  std::reverse(all.begin(), all.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

// Texts keep their memory.
void Reset(JgfVertex& read) {
  Vertex& vertex = read.vertex;
  for (std::string* text : {&read.outer_id, &vertex.type, &vertex.basename,
                            &vertex.name, &vertex.unit}) {
    text->clear();
  }
  vertex.id = vertex.uniq_id = vertex.rank = -1;
  vertex.size = 1;
  vertex.up = true;
  vertex.properties.clear();
  read.exclusive = false;
}

void ReadField(JsonStream& in, const JsonPath& metadata, std::string_view key,
               JgfVertex& read, Given& given) {
  constexpr std::int64_t kMostRank = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kMostSize = std::numeric_limits<std::uint32_t>::max();
  Vertex& vertex = read.vertex;
  if (key == "type") {
    vertex.type = ReadText(in, metadata, "type");
    if (vertex.type.empty()) metadata.Fail("type", "is empty");
    given.type = true;
  } else if (key == "basename") {
    vertex.basename = ReadText(in, metadata, "basename");
    given.basename = true;
  } else if (key == "name") {
    vertex.name = ReadText(in, metadata, "name");
    given.name = true;
  } else if (key == "id") {
    vertex.id = ReadInteger(in, metadata, "id", -1, kMostId);
    given.number = true;
  } else if (key == "uniq_id") {
    vertex.uniq_id = ReadInteger(in, metadata, "uniq_id", 0, kMostId);
    given.uniq_id = true;
  } else if (key == "rank") {
    vertex.rank = ReadInteger(in, metadata, "rank", -1, kMostRank);
  } else if (key == "status") {
    vertex.up = ReadInteger(in, metadata, "status", 0, 1) == 0;
  } else if (key == "size") {
    vertex.size = ReadInteger(in, metadata, "size", 0, kMostSize);
  } else if (key == "exclusive") {
    read.exclusive = ReadFlag(in, metadata, "exclusive");
  } else if (key == "properties") {
    ReadProperties(in, metadata, vertex);
  } else if (key == "paths") {
    ReadPaths(in, metadata, read);
    given.paths = true;
  } else {
    in.Skip();
  }
}

void FillIn(const JsonPath& metadata, const Given& given, JgfVertex& read) {
  Vertex& vertex = read.vertex;
  if (!given.basename) vertex.basename = vertex.type;
  if (!given.uniq_id) {
    const auto id = ParseInteger(read.outer_id);
    if (!id) {
      metadata.Fail("has no \"uniq_id\", and its id is not a number");
    }
    vertex.uniq_id = *id;
  }
  if (!given.number) {
    const auto digits = vertex.type == "node"
                            ? ParseInteger(TrailingDigits(vertex.name))
                            : std::nullopt;
    vertex.id = digits.value_or(vertex.uniq_id);
  }
  if (given.name) return;
  vertex.name = vertex.basename;
  if (vertex.id >= 0) vertex.name += std::to_string(vertex.id);
}

}  // namespace

void ReadJgfVertex(JsonStream& in, const JsonPath& node, JgfVertex& read) {
  Reset(read);
  Given given;
  const JsonPath metadata("metadata", node);
  if (in.Peek() != JsonStream::Kind::kObject) node.Fail("is not an object");
  in.EnterObject();
  while (const auto key = in.NextKey()) {
    if (*key == "id") {
      read.outer_id = ReadText(in, node, "id");
      given.id = true;
    } else if (*key == "metadata") {
      given.metadata = true;
      EnterObject(in, node, "metadata");
      while (const auto field = in.NextKey()) {
        ReadField(in, metadata, *field, read, given);
      }
    } else {
      in.Skip();
    }
  }
  Require(given.id, node, "id");
  Require(given.metadata, node, "metadata");
  Require(given.type, metadata, "type");
  Require(given.paths, metadata, "paths");
  FillIn(metadata, given, read);
}

}  // namespace fluxnetes::matcher
