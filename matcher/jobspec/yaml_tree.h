// A YAML document as a flat tree: nodes in one array, their texts in one
// string, so that a jobspec costs few allocations. Only the first document of a
// text is read. An alias is the node that it names, which may be one that
// contains it: callers that walk the tree must bound the walk.
//
// Immutable after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

// A text that is not YAML. what() gives the place and the fault.
class YamlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class YamlTree {
 public:
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };

  // Limits, since libyaml's time grows with depth, and with the square of the
  // number of directives.
  static constexpr int kMaxDepth = 250;
  static constexpr int kMaxDirectives = 16;

  // Throws YamlError.
  explicit YamlTree(std::string_view text);

  int root() const { return root_; }
  Kind kind(int node) const { return nodes_[node].kind; }
  // Counts from 1.
  std::size_t line(int node) const { return nodes_[node].line; }
  // For a scalar.
  std::string_view text(int node) const {
    return std::string_view(texts_).substr(nodes_[node].first,
                                           nodes_[node].size);
  }
  // True if it is neither quoted nor tagged.
  bool plain(int node) const { return nodes_[node].plain; }
  // Returns the elements of a sequence or the entries of a map; 0 for others.
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
    std::size_t first = 0;  // index in texts_ or children_
    std::size_t size = 0;
  };

  int root_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> children_;
  std::string texts_;
};

}  // namespace fluxnetes::matcher
