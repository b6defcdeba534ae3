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
  Table table({"NAME", ">?PODS", "STATE", "?AGE", "REASON"});
  const std::string name = "solver-of-thirty-characters-42";
  table.Add({name, "8", "pending", "2s", "waits for all of its room"});
  const auto row = [&](int columns) {
    return table.Lines({.columns = columns, .header = false})[0];
  };
  EXPECT_EQ(row(90), name + "  8  pending  2s  waits for all of its room");
  EXPECT_EQ(row(64), name + "  8  pending  2s  waits for all o…");
  const std::string cut = "solver-of-…acters-42";
  EXPECT_EQ(row(54), cut + "  8  pending  2s  waits for all o…");
  EXPECT_EQ(row(50), cut + "  8  pending  waits for all o…");
  EXPECT_EQ(row(47), cut + "  pending  waits for all o…");
  EXPECT_EQ(row(48), "solver-of-…racters-42  pending  waits for all o…");
}

// Twenty names as they are usual, and one as long as Kubernetes allows.
Table OneLongName(const std::string& name) {
  Table table({"NAMESPACE", "NAME", ">PODS", "?QUEUE", "REASON"});
  for (int i = 0; i < 20; ++i)
    table.Add({"team-a", "train-" + std::to_string(i), "8", "default",
               "needs 8 × (2 cpu, 4Gi); 5 of 8 places are free now"});
  table.Add({name, name, "1", name, "waits"});
  return table;
}

TEST(Table, OneLongNameMakesNoTerminalsLineLonger) {
  const Table table = OneLongName(std::string(253, 'n'));
  for (const int columns : {80, 100, 132, 400}) {
    const auto lines = table.Lines({.columns = columns});
    for (const std::string& line : lines)
      EXPECT_LE(DisplayWidth(line), columns) << line;
    EXPECT_NE(lines[1].find("train-0"), std::string::npos) << lines[1];
    EXPECT_NE(lines[1].find("needs 8"), std::string::npos) << lines[1];
  }
  const auto lines = table.Lines({.columns = 200});
  EXPECT_NE(lines[1].find("5 of 8 places are free now"), std::string::npos);
}

TEST(Table, OneLongNameIsWholeInAPipeAndAlone) {
  const std::string name(253, 'n');
  const auto lines = OneLongName(name).Lines({});
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    EXPECT_LE(DisplayWidth(lines[i]), 100) << lines[i];
  EXPECT_EQ(lines.back(), name + "  " + name + "     1  " + name + "  waits");
  Table only({"NAME", "X"});
  only.Add({name, "1"});
  EXPECT_EQ(only.Text({.header = false}), name + "  1\n");
}

TEST(Table, EvenlyLongNamesShareWhatIsLeft) {
  Table table({"NODE", "GROUP", "STATE"});
  table.Add({std::string(60, 'n'), std::string(60, 'g'), "bound"});
  EXPECT_EQ(table.Lines({.columns = 60, .header = false})[0],
            std::string(13, 'n') + "…" + std::string(12, 'n') + "  " +
                std::string(12, 'g') + "…" + std::string(12, 'g') + "  bound");
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

TEST(DisplayText, CutInTheMiddleKeepsBothEnds) {
  EXPECT_EQ(CutMiddle("train-00042", 11), "train-00042");
  EXPECT_EQ(CutMiddle("train-00042", 10), "train…0042");
  EXPECT_EQ(CutMiddle("train-00042", 7), "tra…042");
  EXPECT_EQ(CutMiddle("train", 2), "t…");
  EXPECT_EQ(CutMiddle("train", 1), "…");
  EXPECT_EQ(CutMiddle("train", 0), "");
  EXPECT_EQ(CutMiddle("日本語日本語", 7), "日…語");
}

}  // namespace
}  // namespace fluxnetes::services
