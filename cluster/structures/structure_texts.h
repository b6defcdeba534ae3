// Texts of what is inside of nodes, each read once: nodes of one text share it
// and what is wrong with it.
//
// Not thread-safe.
// Tests: tests/cluster/structures/structure_sources_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cluster/objects/copy_on_write.h"
#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {

struct ReadText {
  CopyOnWrite<std::string> text;
  std::string fault;  // the place and what is wrong; empty: it can be used
  // How many there are in it; memory in MiB.
  std::int64_t numa = 0;
  std::int64_t cores = 0;
  std::int64_t gpus = 0;
  std::int64_t memory_mib = 0;
};

// Returns what a node with these amounts has more than the text says, in words
// for people: "4 gpus, but the node has 8 of nvidia.com/gpu". Empty: nothing.
// `exactly`: also what it has less.
std::string WhatDisagrees(const ReadText& inside, const Resources& amounts,
                          bool exactly);

class StructureTexts {
 public:
  // Valid until the next call.
  const ReadText& Read(std::string_view text);

 private:
  // When the texts take more, all are forgotten and read again.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  std::unordered_map<std::string_view, std::unique_ptr<ReadText>> known_;
  std::size_t bytes_ = 0;
};

}  // namespace fluxnetes::cluster
