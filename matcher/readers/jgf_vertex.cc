#include "matcher/readers/jgf_vertex.h"

#include <limits>

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void ReadIdentity(const JsonPlace& metadata, const std::string& outer_id,
                  Vertex& vertex) {
  if (metadata.Has("uniq_id")) {
    vertex.uniq_id = metadata.Integer("uniq_id", 0, kMost);
  } else if (const auto id = ParseInteger(outer_id)) {
    vertex.uniq_id = *id;
  } else {
    metadata.Fail("has no \"uniq_id\", and its id is not a number");
  }
  vertex.name = metadata.Text("name", "");
  if (metadata.Has("id")) {
    vertex.id = metadata.Integer("id", -1, kMost);
  } else {
    const auto digits = vertex.type == "node"
                            ? ParseInteger(TrailingDigits(vertex.name))
                            : std::nullopt;
    vertex.id = digits.value_or(vertex.uniq_id);
  }
  if (metadata.Has("name")) return;
  vertex.name = vertex.basename;
  if (vertex.id >= 0) vertex.name += std::to_string(vertex.id);
}

void ReadProperties(const JsonPlace& metadata, Vertex& vertex) {
  if (!metadata.Has("properties") || metadata.value()["properties"].is_null()) {
    return;
  }
  const JsonPlace properties(metadata.Object("properties"), "properties",
                             metadata);
  for (const auto& [key, value] : properties.value().items()) {
    vertex.properties[key] = properties.Text(key.c_str());
  }
}

}  // namespace

JgfVertex ReadJgfVertex(const JsonPlace& node) {
  JgfVertex read;
  read.outer_id = node.Text("id");
  const JsonPlace metadata(node.Object("metadata"), "metadata", node);
  Vertex& vertex = read.vertex;
  vertex.type = metadata.Text("type");
  if (vertex.type.empty()) metadata.Fail("type", "is empty");
  vertex.basename = metadata.Text("basename", vertex.type);
  ReadIdentity(metadata, read.outer_id, vertex);
  vertex.rank = metadata.Integer("rank", -1,
                                 std::numeric_limits<std::int32_t>::max(), -1);
  vertex.up = metadata.Integer("status", 0, 1, 0) == 0;
  vertex.size =
      metadata.Integer("size", 0, std::numeric_limits<std::uint32_t>::max(), 1);
  read.exclusive = metadata.Flag("exclusive");
  ReadProperties(metadata, vertex);
  const JsonPlace paths(metadata.Object("paths"), "paths", metadata);
  for (const auto& [subsystem, path] : paths.value().items()) {
    read.paths[subsystem] = paths.Text(subsystem.c_str());
  }
  return read;
}

}  // namespace fluxnetes::matcher
