#include "matcher/inside/short_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "matcher/inside/node_structure.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kMostOfAKind = 10'000;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 31;  // MiB

struct StructureField {
  std::string_view name;
  std::int64_t ShortStructure::*value;
};
constexpr StructureField kStructureFields[] = {
    {"sockets", &ShortStructure::sockets},  {"numa", &ShortStructure::numa},
    {"islands", &ShortStructure::islands},  {"cores", &ShortStructure::cores},
    {"gpus", &ShortStructure::gpus},        {"nics", &ShortStructure::nics},
    {"memory", &ShortStructure::memory_mib}};

std::string_view Trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::int64_t ReadCount(std::string_view name, std::string_view text) {
  const bool memory = name == "memory";
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, text.data() + text.size() - end);
  if (error == std::errc() && memory) {
    for (const auto& [suffix, factor] :
         {std::pair("Mi", std::int64_t{1}), std::pair("Gi", std::int64_t{1024}),
          std::pair("Ti", std::int64_t{1} << 20)}) {
      if (unit != suffix) continue;
      if (value >= 1 && value <= kMostMemory / factor) return value * factor;
    }
    throw StructureError(fmt::format(
        "memory: \"{}\" is not an amount such as 512Gi, up to 2048Ti", text));
  }
  if (error != std::errc() || !unit.empty() || value < 1 ||
      value > kMostOfAKind) {
    throw StructureError(fmt::format("{}: \"{}\" is not a number from 1 to {}",
                                     name, text, kMostOfAKind));
  }
  return value;
}

// A level of containers, such as the sockets.
struct DomainLevel {
  std::string name;  // as in the text
  std::string type;
  std::int64_t count = 0;
};

// The levels, outermost first; the first one is the node itself.
std::vector<DomainLevel> LevelsOf(const ShortStructure& structure) {
  std::vector<DomainLevel> levels = {{"node", "node", 1}};
  for (DomainLevel level : {DomainLevel{"sockets", "socket", structure.sockets},
                            DomainLevel{"islands", "island", structure.islands},
                            DomainLevel{"numa", "numa", structure.numa}}) {
    if (level.count > 0) levels.push_back(std::move(level));
  }
  std::stable_sort(levels.begin(), levels.end(),
                   [](const DomainLevel& a, const DomainLevel& b) {
                     return a.count < b.count;
                   });
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (levels[i].count % levels[i - 1].count == 0) continue;
    throw StructureError(fmt::format(
        "{}: {} cannot be divided equally over {}: {}", levels[i].name,
        levels[i].count, levels[i - 1].name, levels[i - 1].count));
  }
  return levels;
}

class InsideMaker {
 public:
  explicit InsideMaker(const ShortStructure& structure)
      : structure_(structure), levels_(LevelsOf(structure)) {}

  ResourceGraph Make() {
    const DomainLevel& inner = levels_.back();
    std::int64_t vertices = structure_.cores + structure_.gpus +
                            structure_.nics + inner.count * kMemoryPieces;
    for (const DomainLevel& level : levels_) vertices += level.count;
    if (vertices > kMaxInsideVertices) {
      throw StructureError(fmt::format(
          "the node would have more than {} vertices", kMaxInsideVertices));
    }
    for (const auto& [name, count] :
         {std::pair("cores", structure_.cores),
          std::pair("memory", structure_.memory_mib)}) {
      if (count % inner.count == 0) continue;
      throw StructureError(
          fmt::format("{}: {}{} cannot be divided equally over {}: {}", name,
                      count, name == std::string_view("memory") ? "Mi" : "",
                      inner.name, inner.count));
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) MakeLevel(i);
    MakeLeaves("core", structure_.cores, levels_.size() - 1);
    MakeMemory();
    MakeLeaves("gpu", structure_.gpus, LevelOfGpus());
    MakeLeaves("nic", structure_.nics, InnermostOver(structure_.nics));
    graph_.SetRoot(0);
    return std::move(graph_);
  }

 private:
  VertexIndex Add(const std::string& type, std::int64_t id, VertexIndex above,
                  std::int64_t units = 1) {
    Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.id = id;
    vertex.name = type + std::to_string(id);
    vertex.uniq_id = graph_.size();
    vertex.size = units;
    if (type == "memory") vertex.unit = "MiB";
    const VertexIndex v = graph_.AddVertex(vertex);
    if (above != kNoVertex) graph_.AddEdge(above, v);
    return v;
  }

  void MakeLevel(std::size_t level) {
    const std::int64_t count = levels_[level].count;
    std::vector<VertexIndex> made;
    for (std::int64_t i = 0; i < count; ++i) {
      made.push_back(Add(levels_[level].type, i, Above(level, i, count)));
    }
    made_.push_back(std::move(made));
  }
  VertexIndex Above(std::size_t level, std::int64_t i, std::int64_t count) {
    if (level == 0) return kNoVertex;
    const auto& above = made_[level - 1];
    return above[i / (count / static_cast<std::int64_t>(above.size()))];
  }

  void MakeLeaves(const std::string& type, std::int64_t count,
                  std::size_t level) {
    if (count == 0) return;
    const std::int64_t each = count / levels_[level].count;
    for (std::int64_t i = 0; i < count; ++i) {
      Add(type, i, made_[level][i / each]);
    }
  }

  void MakeMemory() {
    if (structure_.memory_mib == 0) return;
    const std::int64_t each = structure_.memory_mib / levels_.back().count;
    std::int64_t piece = 1;
    while (piece * kMemoryPieces < each) piece *= 2;
    std::int64_t id = 0;
    for (const VertexIndex domain : made_.back()) {
      for (std::int64_t left = each; left > 0; left -= piece) {
        Add("memory", id++, domain, std::min(piece, left));
      }
    }
  }

  // The innermost level over which the count divides equally.
  std::size_t InnermostOver(std::int64_t count) const {
    std::size_t level = levels_.size() - 1;
    while (count % levels_[level].count != 0) --level;
    return level;
  }
  std::size_t LevelOfGpus() const {
    const std::size_t level = InnermostOver(structure_.gpus);
    for (std::size_t i = level + 1; i < levels_.size(); ++i) {
      if (levels_[i].type == "numa") continue;
      throw StructureError(
          fmt::format("gpus: {} cannot be divided equally over {}: {}",
                      structure_.gpus, levels_[i].name, levels_[i].count));
    }
    return level;
  }

  const ShortStructure& structure_;
  const std::vector<DomainLevel> levels_;
  ResourceGraph graph_;
  std::vector<std::vector<VertexIndex>> made_;  // [level]
};

}  // namespace

ShortStructure ParseShortStructure(std::string_view text) {
  if (text.size() > kMaxShortStructureBytes) {
    throw StructureError(fmt::format("the text is longer than {} bytes",
                                     kMaxShortStructureBytes));
  }
  ShortStructure structure;
  std::vector<std::string_view> named;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = Trimmed(text.substr(at, comma - at));
    at = comma + 1;
    const auto colon = std::min(item.find(':'), item.size());
    const std::string_view name = Trimmed(item.substr(0, colon));
    const auto field = std::ranges::find_if(
        kStructureFields,
        [&](const StructureField& each) { return each.name == name; });
    if (colon == item.size() || field == std::end(kStructureFields)) {
      throw StructureError(fmt::format(
          "\"{}\" is not one of sockets, numa, islands, cores, gpus, nics and "
          "memory with a count, such as cores: 64",
          item));
    }
    if (std::ranges::count(named, name) > 0) {
      throw StructureError(fmt::format("{} is there twice", name));
    }
    named.push_back(name);
    structure.*field->value = ReadCount(name, Trimmed(item.substr(colon + 1)));
  }
  return structure;
}

ResourceGraph MakeInside(const ShortStructure& structure) {
  for (const StructureField& field : kStructureFields) {
    const std::int64_t count = structure.*field.value;
    const bool memory = field.value == &ShortStructure::memory_mib;
    const std::int64_t least = field.value == &ShortStructure::sockets ? 1 : 0;
    if (count >= least && count <= (memory ? kMostMemory : kMostOfAKind)) {
      continue;
    }
    throw StructureError(
        fmt::format("{}: {} is too few or too many", field.name, count));
  }
  return InsideMaker(structure).Make();
}

}  // namespace fluxnetes::matcher
