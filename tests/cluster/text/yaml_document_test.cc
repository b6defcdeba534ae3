#include "cluster/text/yaml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<Json> Read(std::string_view text, const YamlLimits& limits = {},
                       YamlTypes types = YamlTypes::kKubernetes) {
  std::vector<Json> documents;
  ReadYaml(
      text, "test.yaml",
      [&](Json document, int) { documents.push_back(std::move(document)); },
      limits, types);
  return documents;
}

Json One(std::string_view text, YamlTypes types = YamlTypes::kKubernetes) {
  auto documents = Read(text, {}, types);
  return documents.size() == 1 ? documents[0] : Json("not one document");
}

std::string WhyNoDocument(std::string_view text,
                          const YamlLimits& limits = {}) {
  try {
    Read(text, limits);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(YamlDocument, ScalarsHaveTheTypesThatKubectlGivesThem) {
  EXPECT_EQ(One("[~, null, yes, off, 0400, 0o17, 0b11, 0x1F, 1_000, 2.0, .5]"),
            Json::parse("[null,null,true,false,256,15,3,31,1000,2,0.5]"));
  EXPECT_EQ(One("[12:30, 2001-01-01, 1.2.3, 4Gi, 12m, a b]"),
            Json::parse(R"(["12:30","2001-01-01","1.2.3","4Gi","12m","a b"])"));
}

TEST(YamlDocument, FilesOfOurOwnHaveTheTypesOfTheCoreSchema) {
  EXPECT_EQ(One("{a: [yes, 0400, 0o17, 1_000, .inf, 2.0], no: 1, 010: 2}",
                YamlTypes::kCore),
            Json::parse(R"({"a":["yes",400,15,"1_000",".inf",2.0],
                            "no":1,"010":2})"));
}

TEST(YamlDocument, KeysAreTypedAndThenWrittenAsText) {
  EXPECT_EQ(One("{no: a, 010: b, y: c, 2001-01-01: d, '010': e}"),
            Json::parse(R"({"false":"a","8":"b","true":"c",
                            "2001-01-01":"d","010":"e"})"));
  EXPECT_THAT(WhyNoDocument("1.5: a"),
              HasSubstr("the key \"1.5\" is a number; put it in quotes"));
  EXPECT_THAT(WhyNoDocument("on: 1\nyes: 2"),
              HasSubstr("the key \"true\" is there twice"));
}

TEST(YamlDocument, WhatJsonCannotWriteIsRefused) {
  for (const char* const text : {".inf", "-.INF", ".nan"})
    EXPECT_THAT(WhyNoDocument(std::string("a: ") + text),
                HasSubstr("is no number that JSON can write"));
  EXPECT_EQ(One("a: '.inf'"), Json::parse(R"({"a":".inf"})"));
}

TEST(YamlDocument, TagsOfTypesMustFit) {
  EXPECT_EQ(One("[!!int '010', !!float 3, !!bool yes, !!null '']"),
            Json::parse("[8,3,true,null]"));
  EXPECT_THAT(WhyNoDocument("a: !!int abc"),
              HasSubstr("\"abc\" is no int, as its tag says"));
  EXPECT_THAT(WhyNoDocument("a: !!bool 1"), HasSubstr("is no bool"));
}

TEST(YamlDocument, QuotedScalarsStayText) {
  EXPECT_EQ(One(R"(['12', "true", "~", !!str 7, '', "1e3"])"),
            Json::parse(R"(["12","true","~","7","","1e3"])"));
}

TEST(YamlDocument, JsonIsYaml) {
  EXPECT_EQ(One("{\"a\":[1,{\"b\":\"c\\/\\u00e9\"}],\n\t\"d\":null}"),
            Json::parse(R"({"a":[1,{"b":"c/é"}],"d":null})"));
}

TEST(YamlDocument, DocumentsComeInOrderWithTheirLines) {
  std::vector<std::pair<std::string, int>> seen;
  ReadYaml("a: 1\n---\n---\n# nothing\n---\nb: 2\n...\n", "test.yaml",
           [&](const Json& document, int line) {
             seen.emplace_back(document.dump(), line);
           });
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].first, R"({"a":1})");
  EXPECT_EQ(seen[0].second, 1);
  EXPECT_EQ(seen[1].first, R"({"b":2})");
  EXPECT_THAT(seen[1].second,
              ::testing::AllOf(::testing::Ge(5), ::testing::Le(6)));
}

TEST(YamlDocument, EmptyTextHasNoDocument) {
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("# only a comment\n"), IsEmpty());
}

TEST(YamlDocument, AliasesAndMergeKeysAreExpanded) {
  EXPECT_EQ(One("a: &x {k: 1}\nb: *x\nc: {<<: *x, l: 2}\n"
                "d: {<<: [*x, {k: 3, m: 4}], k: 9}"),
            Json::parse(R"({"a":{"k":1},"b":{"k":1},"c":{"k":1,"l":2},
                            "d":{"k":9,"m":4}})"));
  EXPECT_EQ(One("'<<': 1"), Json::parse(R"({"<<":1})"));
}

TEST(YamlDocument, MergeReplacesTheKeysBeforeItAsKubectlDoes) {
  EXPECT_EQ(One("{k: 9, <<: {k: 1}}"), Json::parse(R"({"k":1})"));
  EXPECT_EQ(One("{k: 9, <<: {k: 1}}", YamlTypes::kCore),
            Json::parse(R"({"k":9})"));
}

TEST(YamlDocument, NotYamlIsRefusedWithItsPlace) {
  EXPECT_THAT(WhyNoDocument("a: [1, 2\nb: 3"), StartsWith("test.yaml:2:"));
  EXPECT_THAT(WhyNoDocument("a: b: c"), HasSubstr("not YAML"));
  EXPECT_THAT(WhyNoDocument("\"open"), StartsWith("test.yaml:1:"));
  EXPECT_THAT(WhyNoDocument("a: *nobody"), StartsWith("test.yaml:1:"));
  EXPECT_THAT(WhyNoDocument("%YAML 9.9\n---\na"), StartsWith("test.yaml"));
}

TEST(YamlDocument, StrayPunctuationIsRefusedAndEnds) {
  for (const char* text : {",", "  ,", "a: 1\n---\n,", "]", "}", "- a\n,",
                           "? ,", "--- ,", "...\n,", "%\n,", "a: 1\n,"}) {
    EXPECT_THAT(WhyNoDocument(text), StartsWith("test.yaml:")) << text;
  }
}

TEST(YamlDocument, WhatIsNotUtf8IsRefusedWithItsPlace) {
  EXPECT_THAT(WhyNoDocument("a: 1\nb: \xff"),
              StartsWith("test.yaml:2:4: the byte \"\\xff\" is not UTF-8"));
  EXPECT_THAT(WhyNoDocument("a: \xed\xa0\x80"), HasSubstr("not UTF-8"));
  EXPECT_THAT(WhyNoDocument(std::string_view("a: \0", 4)),
              HasSubstr("control character"));
  EXPECT_EQ(One("\xF0\x9F\x9A\x80: é"), Json::parse(R"({"🚀":"é"})"));
}

TEST(YamlDocument, KeyThatIsThereTwiceIsRefused) {
  EXPECT_THAT(WhyNoDocument("a: 1\nb: 2\na: 3"),
              StartsWith("test.yaml:3:1: the key \"a\" is there twice"));
  EXPECT_THAT(WhyNoDocument(R"({"a":[{"b":1,"b":2}]})"),
              HasSubstr("the key \"b\" is there twice"));
  EXPECT_EQ(WhyNoDocument(R"({"a":{"b":1},"c":{"b":2}})"), "accepted");
}

TEST(YamlDocument, OddKeysAreRefused) {
  EXPECT_THAT(WhyNoDocument("? [a]\n: 1"), HasSubstr("a key that is no text"));
  EXPECT_THAT(WhyNoDocument(": 1"), HasSubstr("a key is missing"));
  EXPECT_EQ(One("1: a\ntrue: b"), Json::parse(R"({"1":"a","true":"b"})"));
}

TEST(YamlDocument, TagsOfOthersAreRefused) {
  EXPECT_THAT(WhyNoDocument("a: !mine 1"), HasSubstr("\"!mine\""));
  EXPECT_THAT(WhyNoDocument("a: !!binary aGVsbG8="),
              HasSubstr("not supported"));
  EXPECT_THAT(WhyNoDocument("!!set {a: ~}"), HasSubstr("not supported"));
}

TEST(YamlDocument, BombsOfAliasesAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += below + ", ";
    bomb += below + "]\n";
  }
  EXPECT_THAT(WhyNoDocument(bomb), HasSubstr("values, aliases expanded"));
}

TEST(YamlDocument, AnchorsWithinAnchorsDoNotMultiplyMemory) {
  std::string text;
  for (int i = 0; i < 90; ++i) text += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 50'000; ++i) text += "1,";
  text += std::string(90, ']');
  EXPECT_THAT(WhyNoDocument(text), HasSubstr("values, aliases expanded"));
}

TEST(YamlDocument, AliasesOfLongTextsDoNotMultiplyMemory) {
  std::string aliases = "a: &x " + std::string(1 << 20, 'x') + "\nb:\n";
  for (int i = 0; i < 500; ++i) aliases += "- *x\n";
  EXPECT_THAT(WhyNoDocument(aliases), HasSubstr("bytes, aliases expanded"));

  std::string keys = "a: &x " + std::string(1 << 20, 'x') + "\nb:\n";
  for (int i = 0; i < 500; ++i) keys += "- *x : 1\n";
  EXPECT_THAT(WhyNoDocument(keys), HasSubstr("bytes, aliases expanded"));

  std::string anchors;
  for (int i = 0; i < 90; ++i) anchors += "&a" + std::to_string(i) + " [";
  anchors += std::string(1 << 20, 'x') + std::string(90, ']');
  EXPECT_THAT(WhyNoDocument(anchors), HasSubstr(", aliases expanded"));

  EXPECT_EQ(WhyNoDocument("a: &x " + std::string(1 << 20, 'x') + "\nb: *x\n"),
            "accepted");
}

TEST(YamlDocument, AliasOfWhatItIsPartOfIsRefused) {
  EXPECT_THAT(WhyNoDocument("a: &x [*x]"), StartsWith("test.yaml:1:"));
}

TEST(YamlDocument, NestingIsBoundedHoweverItIsWritten) {
  const std::string at_limit = std::string(100, '[') + std::string(100, ']');
  EXPECT_EQ(WhyNoDocument(at_limit), "accepted");
  EXPECT_THAT(WhyNoDocument("[" + at_limit + "]"),
              HasSubstr("nested deeper than 100 levels"));
  for (const int depth : {10'000, 1'000'000}) {
    EXPECT_THAT(
        WhyNoDocument(std::string(depth, '[') + std::string(depth, ']')),
        HasSubstr("nested deeper"));
    EXPECT_THAT(WhyNoDocument(std::string(depth, '[')),
                StartsWith("test.yaml:"));
    EXPECT_THAT(WhyNoDocument(std::string(depth, '{')),
                StartsWith("test.yaml:"));
  }
  std::string block;
  for (int i = 0; i < 10'000; ++i) block += "- ";
  EXPECT_THAT(WhyNoDocument(block), HasSubstr("nested deeper"));
  std::string maps;
  for (int i = 0; i < 1'000; ++i) maps += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(WhyNoDocument(maps), HasSubstr("nested deeper"));
}

TEST(YamlDocument, LongFlowCollectionsDoNotFillTheMemory) {
  EXPECT_THAT(WhyNoDocument("- [" + std::string(8 << 20, ',')),
              HasSubstr("split it or write it as JSON"));
  std::string json = "[0";
  for (int i = 0; i < 300'000; ++i) json += ",0";
  EXPECT_EQ(WhyNoDocument(json + "]"), "accepted");
}

TEST(YamlDocument, JsonHasTheSameLimits) {
  EXPECT_THAT(WhyNoDocument(std::string(101, '[') + std::string(101, ']')),
              HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(WhyNoDocument("[1,2,3]", {.values = 3}),
              HasSubstr("more than 3 values"));
  EXPECT_EQ(One(R"({"rocket": "\ud83d\ude80"})"), Json({{"rocket", "🚀"}}));
}

TEST(YamlDocument, AliasesDoNotNestDeeper) {
  std::string text = "a0: &a0 [[[[[[[[[[1]]]]]]]]]]\n";
  for (int i = 1; i < 12; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) +
            " [[[[[[[[[[*a" + std::to_string(i - 1) + "]]]]]]]]]]\n";
  }
  EXPECT_THAT(WhyNoDocument(text), HasSubstr("nested deeper"));
}

TEST(YamlDocument, LargeTextIsRefusedUnread) {
  EXPECT_THAT(WhyNoDocument(std::string(50 << 20, 'a')),
              HasSubstr("has 52428800 bytes; at most 16777216 are read"));
  EXPECT_THAT(WhyNoDocument("[1, 2, 3]", {.values = 3}),
              HasSubstr("more than 3 values"));
}

}  // namespace
}  // namespace fluxnetes::cluster
