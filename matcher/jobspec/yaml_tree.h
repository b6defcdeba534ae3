// A YAML document as a flat tree: nodes in one array, their texts in one
// string, so that a jobspec costs a handful of allocations. The first document
// of a text counts. An alias is the node that it names, which may be one that
// contains it: who walks the tree must bound the walk.
//
// Immutable once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

// A text that is no YAML. what() says where and what is wrong.
class YamlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class YamlTree {
 public:
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };

  // libyaml's time grows with depth, and with the square of directives.
  static constexpr int kMaxDepth = 250;
  static constexpr int kMaxDirectives = 16;

  // Throws YamlError.
  explicit YamlTree(std::string_view text);

  int root() const { return root_; }
  Kind kind(int node) const { return nodes_[node].kind; }
  // From 1.
  std::size_t line(int node) const { return nodes_[node].line; }
  // Of a scalar.
  std::string_view text(int node) const {
    return std::string_view(texts_).substr(nodes_[node].first,
                                           nodes_[node].size);
  }
  // Neither quoted nor with a tag.
  bool plain(int node) const { return nodes_[node].plain; }
  // Elements of a sequence, entries of a map; 0 of others.
  std::size_t size(int node) const {
    const Node& of = nodes_[node];
    if (of.kind == Kind::kMap) return of.size / 2;
    return of.kind == Kind::kSequence ? of.size : 0;
  }
  int element(int sequence, std::size_t i) const {
    return children_[nodes_[sequence].first + i];
  }
  int key(int map, std::size_t i) const {
    return children_[nodes_[map].first + 2 * i];
  }
  int value(int map, std::size_t i) const {
    return children_[nodes_[map].first + 2 * i + 1];
  }

 private:
  friend class YamlTreeBuilder;

  struct Node {
    Kind kind = Kind::kNull;
    bool plain = false;
    std::size_t line = 1;
    std::size_t first = 0;  // of texts_ or children_
    std::size_t size = 0;
  };

  int root_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> children_;
  std::string texts_;
};

}  // namespace fluxnetes::matcher
