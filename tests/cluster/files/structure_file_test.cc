#include "cluster/files/structure_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

std::string FileOf(const std::string& name) {
  if (name == "a100.xml") {
    return "<topology><object type=\"Machine\"><object type=\"Core\"/>"
           "</object></topology>";
  }
  if (name == "bad.xml") return "<topology>\n<object>";
  throw InputError(name + ": there is no such file");
}

std::string RefusalOfFile(const std::string& text) {
  try {
    ReadStructureFile(text, "s.yaml", FileOf);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string RefusalOfEntry(const std::string& entry) {
  return RefusalOfFile("structures: [" + entry + "]");
}

TEST(StructureFile, NamesFilesAndTextsByLabel) {
  const auto all = ReadStructureFile(R"(
structures:
  - label: nvidia.com/gpu.product=A100
    file: a100.xml
  - {label: pool=, structure: "cores: 2"}
)",
                                     "s.yaml", FileOf);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "nvidia.com/gpu.product");
  EXPECT_EQ(all[0].value, "A100");
  EXPECT_EQ(all[0].text, FileOf("a100.xml"));
  EXPECT_EQ(all[0].place, "s.yaml:2: structures[0].file a100.xml");
  EXPECT_EQ(all[1].label, "pool");
  EXPECT_EQ(all[1].value, "");
  EXPECT_EQ(all[1].text, "cores: 2");
}

TEST(StructureFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(RefusalOfEntry("{label: a=b, file: bad.xml}"),
            "s.yaml:1: structures[0].file bad.xml: line 2: Start-end tags "
            "mismatch");
  EXPECT_EQ(RefusalOfEntry("{label: a=b, file: none.xml}"),
            "none.xml: there is no such file");
  EXPECT_EQ(RefusalOfEntry("{label: a=b, structure: 'cores: x'}"),
            "s.yaml:1: structures[0].structure: cores: \"x\" is not a number "
            "from 1 to 10000");
  EXPECT_EQ(RefusalOfEntry("{label: a, structure: 'cores: 1'}"),
            "s.yaml:1: structures[0].label: \"a\" must be a label with its "
            "value, like nvidia.com/gpu.product=A100");
  EXPECT_THAT(RefusalOfEntry("{label: 'a b=c', structure: 'cores: 1'}"),
              ::testing::HasSubstr("s.yaml:1: structures[0].label.key"));
  EXPECT_EQ(RefusalOfEntry("{label: a=b}"),
            "s.yaml:1: structures[0]: must have either file or structure");
  EXPECT_EQ(
      RefusalOfEntry("{label: a=b, structure: 'cores: 1', file: a100.xml}"),
      "s.yaml:1: structures[0]: must have either file or structure");
  EXPECT_EQ(RefusalOfEntry("{label: a=b, path: x}"),
            "s.yaml:1: structures[0]: does not know \"path\"; it may have "
            "label, file and structure");
  EXPECT_EQ(RefusalOfEntry("7"), "s.yaml:1: structures[0]: must be a mapping");
  for (const char* const text : {"", "structures: []", "[]", "a: 1"}) {
    EXPECT_THAT(RefusalOfFile(text),
                ::testing::HasSubstr("must have a list structures"))
        << text;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
