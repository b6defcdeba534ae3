#include "matcher/jobspec/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace fluxnetes::matcher {
namespace {

using ::testing::HasSubstr;
using NodeKind = YamlTree::Kind;

// Returns the tree in the flow style, with quoted scalars in '' and aliases
// written out; "..." stands for a node inside of itself.
std::string Flow(const YamlTree& tree, int node, std::set<int> above = {}) {
  if (!above.insert(node).second) return "...";
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  switch (tree.kind(node)) {
    case NodeKind::kNull:
      return "~";
    case NodeKind::kScalar:
      text = std::string(tree.text(node));
      return tree.plain(node) ? text : "'" + text + "'";
    case NodeKind::kSequence:
      for (std::size_t i = 0; i < tree.size(node); ++i) {
        add(Flow(tree, tree.element(node, i), above));
      }
      return "[" + text + "]";
    case NodeKind::kMap:
      for (std::size_t i = 0; i < tree.size(node); ++i) {
        add(Flow(tree, tree.key(node, i), above) + ": " +
            Flow(tree, tree.value(node, i), above));
      }
      return "{" + text + "}";
  }
  return "";
}

std::string Flow(const std::string& text) {
  const YamlTree tree(text);
  return Flow(tree, tree.root());
}

std::string WhyNoYaml(const std::string& text) {
  try {
    YamlTree tree(text);
  } catch (const YamlError& error) {
    return error.what();
  }
  return "none";
}

TEST(YamlTree, BlockAndFlowGiveTheSame) {
  EXPECT_EQ(Flow("a: 1\nb:\n- x\n- {y: 2, z: [3, []]}\n"),
            "{a: 1, b: [x, {y: 2, z: [3, []]}]}");
  EXPECT_EQ(Flow(R"({"a":1,"b":["x"]})"), "{'a': 1, 'b': ['x']}");
}

TEST(YamlTree, OnlyPlainScalarsCanBeNull) {
  EXPECT_EQ(Flow("[~, null, Null, NULL, '', 'null', !!str null, nul]"),
            "[~, ~, ~, ~, '', 'null', 'null', nul]");
  EXPECT_EQ(Flow("a:\nb: |\n  two\n  lines\n"), "{a: ~, b: 'two\nlines\n'}");
  EXPECT_EQ(Flow(""), "~");
  EXPECT_EQ(Flow("# a remark\n"), "~");
}

TEST(YamlTree, AliasIsWhatItNames) {
  EXPECT_EQ(Flow("a: &x [1]\nb: *x\nc: &x 2\nd: *x\n"),
            "{a: [1], b: [1], c: 2, d: 2}");
  EXPECT_EQ(Flow("&x [1, *x]"), "[1, ...]");
}

TEST(YamlTree, FirstDocumentCounts) {
  EXPECT_EQ(Flow("--- 1\n--- 2\n"), "1");
  EXPECT_EQ(Flow("1\n...\n{"), "1");
}

TEST(YamlTree, LinesAreThoseOfTheText) {
  const YamlTree tree("a:\n\n  - b\n  - c: d\n");
  const int list = tree.value(tree.root(), 0);
  EXPECT_EQ(tree.line(tree.root()), 1u);
  EXPECT_EQ(tree.line(list), 3u);
  EXPECT_EQ(tree.line(tree.element(list, 1)), 4u);
}

TEST(YamlTree, ErrorsNameTheLine) {
  EXPECT_THAT(WhyNoYaml("a: 1\nb: c: d\n"), HasSubstr("line 2: "));
  EXPECT_THAT(WhyNoYaml("a:\n  [1, 2\n"), HasSubstr("line 3: "));
  EXPECT_THAT(WhyNoYaml("a: 1\nb: *c\n"), HasSubstr("line 2: nothing has the "
                                                    "anchor \"c\""));
  EXPECT_THAT(WhyNoYaml("a: 1\n\nb: \xff\n"), HasSubstr("line 3: "));
  EXPECT_THAT(WhyNoYaml("a: 1\n\tb: 2\n"), HasSubstr("line 2: "));
}

TEST(YamlTree, DirectivesAreBounded) {
  std::string text = "# a remark\n\n";
  for (int i = 0; i <= YamlTree::kMaxDirectives; ++i) {
    text += "%TAG !" + std::to_string(i) + "! b\n";
  }
  EXPECT_THAT(WhyNoYaml(text + "--- a\n"),
              HasSubstr("line 19: is one directive"));
  EXPECT_EQ(Flow("%TAG !a! b\n--- c\n"), "c");
}

TEST(YamlTree, DepthIsBounded) {
  const auto nested = [](int depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(WhyNoYaml(nested(YamlTree::kMaxDepth)), "none");
  EXPECT_THAT(WhyNoYaml(nested(YamlTree::kMaxDepth + 1)),
              HasSubstr("line 1: is nested more than 250 deep"));
  EXPECT_THAT(WhyNoYaml(std::string(1'000'000, '[')), HasSubstr("nested"));
  std::string block;
  for (int i = 0; i < 1'000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(WhyNoYaml(block), HasSubstr("line 251: is nested"));
}

}  // namespace
}  // namespace fluxnetes::matcher
