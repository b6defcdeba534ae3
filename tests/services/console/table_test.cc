#include "services/console/table.h"

#include <gtest/gtest.h>

#include "services/console/display_text.h"

namespace fluxnetes::services {
namespace {

Table Example() {
  Table table({"NAME", ">PODS", "REASON"});
  table.Add({"train", "8", "waits for room"});
  table.Add({"a", "16", ""});
  return table;
}

TEST(Table, ColumnsAreAsWideAsTheyNeedToBe) {
  EXPECT_EQ(Example().Text({}),
            "NAME   PODS  REASON\n"
            "train     8  waits for room\n"
            "a        16  -\n");
}

TEST(Table, LastColumnIsCutToTheTerminal) {
  EXPECT_EQ(Example().Text({.columns = 20}),
            "NAME   PODS  REASON\n"
            "train     8  waits …\n"
            "a        16  -\n");
}

TEST(Table, NoLineIsLongerThanTheTerminal) {
  for (int columns = 1; columns < 40; ++columns)
    for (const std::string& line : Example().Lines({.columns = columns}))
      EXPECT_LE(DisplayWidth(line), columns) << line;
}

TEST(Table, LastColumnIsGivenRoomByTheOthers) {
  Table table({"<NAME", ">?PODS", "STATE", "?AGE", "REASON"});
  const std::string name = "a-name-that-is-of-thirty-chars";
  table.Add({name, "8", "pending", "2s", "waits for all of its room"});
  const auto row = [&](int columns) {
    return table.Lines({.columns = columns, .header = false})[0];
  };
  EXPECT_EQ(row(90), name + "  8  pending  2s  waits for all of its room");
  EXPECT_EQ(row(64), name + "  8  pending  2s  waits for all o…");
  const std::string cut = "…-is-of-thirty-chars";
  EXPECT_EQ(row(54), cut + "  8  pending  2s  waits for all o…");
  EXPECT_EQ(row(50), cut + "  8  pending  waits for all o…");
  EXPECT_EQ(row(48), cut + "  pending  waits for all of…");
}

TEST(Table, HeaderCanBeLeftOut) {
  EXPECT_EQ(Example().Text({.header = false}),
            "train   8  waits for room\na      16  -\n");
}

TEST(Table, ColoursTakeNoRoom) {
  Table table({"STATE", "NAME"});
  table.Add({Cell("bound", Colour::kGreen), "x"});
  EXPECT_EQ(table.Text({.colour = true}),
            "STATE  NAME\n\x1b[32mbound\x1b[0m  x\n");
  EXPECT_EQ(table.Text({}), "STATE  NAME\nbound  x\n");
}

TEST(Table, WideAndCombiningCharactersKeepColumnsInLine) {
  Table table({"NAME", "X"});
  table.Add({"日本", "1"});
  table.Add({"e\u0301te", "2"});
  EXPECT_EQ(table.Text({}), "NAME  X\n日本  1\ne\u0301te   2\n");
}

TEST(Table, WhatIsInACellCannotSpeakToTheTerminal) {
  Table table({"NAME"});
  table.Add({"a\x1b[2Jb\nc\u009bd\u202e"});
  EXPECT_EQ(table.Text({.header = false}), "a?[2Jb c?d?\n");
}

TEST(DisplayText, BytesThatAreNoUtf8AreReplacedOneByOne) {
  EXPECT_EQ(Printable("a\xff\xc3(\xe2\x82"),
            "a?"
            "?(?"
            "?");
  EXPECT_EQ(Printable("\xc0\xaf\xed\xa0\x80"),
            "?"
            "?"
            "?"
            "?"
            "?");
  EXPECT_EQ(Printable("gr\u00fc\u00df"), "gr\u00fc\u00df");
}

TEST(DisplayText, CutKeepsWholeCharacters) {
  EXPECT_EQ(Cut("grüße", 4), "grü…");
  EXPECT_EQ(Cut("日本語", 4), "日…");
  EXPECT_EQ(Cut("abc", 3), "abc");
  EXPECT_EQ(Cut("abc", 1), "…");
  EXPECT_EQ(Cut("abc", 0), "");
}

}  // namespace
}  // namespace fluxnetes::services
