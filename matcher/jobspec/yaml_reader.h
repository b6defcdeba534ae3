// Reads values from a YAML document and reports where one is wrong:
//
//   line 7: resources[0].with[1].count: is "many"; a number of 0 or more is
//   right
// Tests: tests/matcher/jobspec/jobspec_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/jobspec/jobspec.h"
#include "matcher/jobspec/yaml_tree.h"

namespace fluxnetes::matcher {

// A document, and the places in it that were visited; an alias gives a node
// several places. The path of a place is only put together for an error.
class YamlText {
 public:
  // Throws YamlError.
  explicit YamlText(std::string_view text) : tree(text) {}

  const YamlTree tree;

 private:
  friend class YamlPlace;

  struct Step {
    int above;                            // -1: the document
    std::optional<std::string_view> key;  // key in a map; without it,
    std::size_t index;                    // index in a sequence
  };
  std::vector<Step> steps_;
};

// A value and its place. The document must outlive it.
class YamlPlace {
 public:
  explicit YamlPlace(YamlText& text) : text_(&text), node_(text.tree.root()) {}

  [[noreturn]] void Fail(std::string_view what) const;
  // Returns a child; fails if it is missing. The key must live as long as the
  // text.
  YamlPlace At(const char* key) const;
  YamlPlace At(std::size_t index) const;
  bool Has(const char* key) const { return Find(key) >= 0; }
  std::size_t size() const { return text_->tree.size(node_); }
  // An entry of a map; no key if the key is not a text.
  std::optional<std::string_view> KeyAt(std::size_t index) const;
  YamlPlace ValueAt(std::size_t index) const;

  bool IsNull() const { return kind() == YamlTree::Kind::kNull; }
  bool IsScalar() const { return kind() == YamlTree::Kind::kScalar; }
  bool plain() const { return text_->tree.plain(node_); }
  void RequireMap() const;
  void RequireSequence() const;
  // Fails if the map has a key that is not among `keys` (32 at most), or has
  // one twice.
  void AllowOnly(std::initializer_list<std::string_view> keys) const;
  std::string_view Text() const;
  std::int64_t Integer(std::int64_t least, std::int64_t most) const;
  double Number() const;

 private:
  YamlPlace(const YamlPlace& above, int node, YamlText::Step step);
  YamlTree::Kind kind() const { return text_->tree.kind(node_); }
  int Find(std::string_view key) const;  // -1: missing
  std::string Path() const;

  YamlText* text_;
  int node_;
  int step_ = -1;  // the last step of the path to it
};

Constraint ReadConstraint(const YamlPlace& place);

}  // namespace fluxnetes::matcher
