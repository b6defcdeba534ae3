#include "matcher/inside/part_sets.h"

#include <functional>
#include <utility>

#include "matcher/inside/parts_text.h"

namespace fluxnetes::matcher {

std::size_t PartSets::HashOf(StructureId id,
                             const std::vector<VertexIndex>& vertices,
                             const std::string& text) {
  std::uint64_t hash = static_cast<std::uint64_t>(id) + 1;
  for (const VertexIndex v : vertices) {
    hash = (hash ^ static_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return text.empty() ? hash : hash ^ std::hash<std::string>()(text);
}

PartsId PartSets::Take(StructureId id, const NodeStructure* structure,
                       const std::vector<VertexIndex>& vertices,
                       const std::string& text) {
  const std::size_t hash = HashOf(id, vertices, text);
  const auto [first, last] = index_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    PartSet& known = sets_[at->second];
    if (known.structure != id || known.vertices != vertices ||
        known.text != text) {
      continue;
    }
    ++known.uses;
    return at->second;
  }
  PartSet added{id, vertices, text, VertexMask(), 1};
  if (structure != nullptr) {
    added.mask = VertexMask(structure->size());
    structure->InsertBelow(vertices, added.mask);
  }
  PartsId parts = static_cast<PartsId>(sets_.size());
  if (unused_.empty()) {
    sets_.push_back(std::move(added));
  } else {
    parts = unused_.back();
    unused_.pop_back();
    sets_[parts] = std::move(added);
  }
  index_.emplace(hash, parts);
  return parts;
}

PartsId PartSets::Read(StructureId id, const NodeStructure* structure,
                       std::string_view text, bool* known) {
  const InsideParts read = ReadParts(text, structure);
  if (known != nullptr) *known = read.all_known;
  const bool same = read.all_known && structure != nullptr &&
                    WriteParts(*structure, read.vertices) == text;
  return Take(id, structure, read.vertices, same ? "" : std::string(text));
}

void PartSets::Give(PartsId parts) {
  PartSet& set = sets_[parts];
  if (--set.uses > 0) return;
  const auto [first, last] =
      index_.equal_range(HashOf(set.structure, set.vertices, set.text));
  for (auto at = first; at != last; ++at) {
    if (at->second != parts) continue;
    index_.erase(at);
    break;
  }
  set = PartSet{};
  unused_.push_back(parts);
}

std::string PartSets::Text(PartsId parts,
                           const NodeStructure* structure) const {
  const PartSet& set = sets_[parts];
  if (!set.text.empty() || structure == nullptr) return set.text;
  return WriteParts(*structure, set.vertices);
}

}  // namespace fluxnetes::matcher
