#include "queue/jobs/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::queue {
namespace {

TEST(JsonText, ObjectsAreTaken) {
  for (const char* text :
       {"{}", " {\n} \t", R"({"a":1})", R"({"a":[],"b":{},"c":[{},[1,2]]})",
        R"({"":-0.5e+10,"n":null,"t":true,"f":false})",
        R"({"u":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t ü😀"})", R"({"x":10})"})
    EXPECT_TRUE(IsJsonObject(text)) << text;
}

TEST(JsonText, OtherTextIsRefused) {
  for (const char* text : {"",
                           " ",
                           "[]",
                           "1",
                           "null",
                           "x",
                           "{",
                           "}",
                           "{} {}",
                           "{}x",
                           "{,}",
                           R"({"a":})",
                           R"({"a" 1})",
                           R"({"a":1,})",
                           R"({a:1})",
                           R"({"a":1]})",
                           R"({"a":[1})",
                           R"({"a":[1,]})",
                           R"({"a":01})",
                           R"({"a":+1})",
                           R"({"a":1.})",
                           R"({"a":.5})",
                           R"({"a":1e})",
                           R"({"a":-})",
                           R"({"a":tru})",
                           R"({"a":nul})",
                           R"({"a":"x})",
                           R"({"a":"\x"})",
                           R"({"a":"\u12g4"})",
                           R"({'a':1})",
                           "{\"a\":\"\n\"}",
                           R"({"a":1 "b":2})",
                           R"({"a":NaN})",
                           R"({"a":"\)"})
    EXPECT_FALSE(IsJsonObject(text)) << text;
}

TEST(JsonText, WhatJsonbDoesNotStoreIsRefused) {
  for (const char* text :
       {R"({"a":"\u0000"})", R"({"a":"\ud800"})", R"({"a":"\ud800\u0041"})",
        R"({"a":"\udc00"})", R"({"a":1e99999})", "{\"a\":\"\xff\"}",
        "{\"a\":\"\xed\xa0\x80\"}"})
    EXPECT_FALSE(IsJsonObject(text)) << text;
  EXPECT_FALSE(IsJsonObject(std::string("{\"a\":\"\0\"}", 9)));
  EXPECT_FALSE(IsJsonObject(std::string("{}\0", 3)));
}

TEST(JsonText, DepthIsLimitedAndNothingRecurses) {
  const auto deep = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') +
           "}";
  };
  EXPECT_TRUE(IsJsonObject(deep(255)));
  EXPECT_FALSE(IsJsonObject(deep(256)));
  EXPECT_FALSE(IsJsonObject(deep(10'000'000)));
}

TEST(JsonText, TextIsUtf8WithoutZeroBytes) {
  EXPECT_TRUE(IsText(""));
  EXPECT_TRUE(IsText("plain and rather long, with ü and 😀 in it"));
  EXPECT_FALSE(IsText(std::string("a\0b", 3)));
  EXPECT_FALSE(IsText(std::string("a long one with\0in it", 21)));
  for (const char* text :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf5", "long enough for words \xff and more"})
    EXPECT_FALSE(IsText(text)) << text;
}

TEST(JsonText, IsCutBetweenCharacters) {
  EXPECT_EQ(CutText("abc", 3), "abc");
  EXPECT_EQ(CutText("abc", 2), "ab");
  EXPECT_EQ(CutText("aü", 2), "a");
  EXPECT_EQ(CutText("😀", 3), "");
}

}  // namespace
}  // namespace fluxnetes::queue
