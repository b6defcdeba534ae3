#include "cluster/structures/structure_texts.h"

#include <fmt/format.h>

#include <utility>

#include "matcher/inside/structure_text.h"

namespace fluxnetes::cluster {
namespace {

ReadText ReadAnew(std::string_view text) {
  ReadText read;
  read.text.Own() = text;
  try {
    const matcher::ResourceGraph graph = matcher::ReadStructure(text);
    for (matcher::VertexIndex v = 0; v < graph.size(); ++v) {
      const std::string& type = graph.TypeName(v);
      if (type == "numa") ++read.numa;
      if (type == "core") read.cores += graph.units(v);
      if (type == "gpu") read.gpus += graph.units(v);
      if (type == "memory") read.memory_mib += graph.units(v);
    }
  } catch (const matcher::StructureError& error) {
    read.fault = error.what();
  }
  return read;
}

}  // namespace

std::string WhatDisagrees(const ReadText& inside, const Resources& amounts,
                          bool exactly) {
  const auto differ = [exactly](std::int64_t there, std::int64_t given) {
    return exactly ? there != given : there < given;
  };
  // What is kept for the system may be a part of a core.
  const std::int64_t whole = amounts.cpu_milli / 1'000;
  const std::int64_t cpus = exactly ? (amounts.cpu_milli + 999) / 1'000 : whole;
  if (inside.cores > 0 && differ(inside.cores, cpus)) {
    return fmt::format("{} cores, but the node has {} cpus", inside.cores,
                       cpus);
  }
  std::int64_t gpus = 0;
  std::string names;
  for (const auto& [name, amount] : amounts.extended) {
    if (!name.ends_with("/gpu")) continue;
    gpus += amount;
    names += (names.empty() ? "" : " and ") + name;
  }
  if (differ(inside.gpus, gpus)) {
    return fmt::format(
        "{} gpus, but the node has {} of {}", inside.gpus, gpus,
        names.empty() ? "a resource whose name ends in /gpu" : names);
  }
  const std::int64_t mib = amounts.memory_bytes >> 20;
  if (inside.memory_mib > 0 && inside.memory_mib < mib) {
    return fmt::format("{}Mi of memory, but the node has {}Mi",
                       inside.memory_mib, mib);
  }
  return "";
}

const ReadText& StructureTexts::Read(std::string_view text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return *found->second;
  if (bytes_ + text.size() > kMostBytes) {
    known_.clear();
    bytes_ = 0;
  }
  auto read = std::make_unique<ReadText>(ReadAnew(text));
  bytes_ += text.size();
  const std::string_view key = *std::as_const(*read).text;
  return *known_.emplace(key, std::move(read)).first->second;
}

}  // namespace fluxnetes::cluster
