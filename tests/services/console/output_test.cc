#include "services/console/output.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(Output, YamlReadsBackWhatWasWritten) {
  for (const std::string text :
       {"plain", "a/b",  "two words", "",        "true",
        "No",    "null", "~",         "123",     "1e3",
        "0x1f",  "- a",  "a: b",      "#x",      "'q'",
        "\"q\"", "100%", "a\\b",      "grüße 🚀", "line\nbreak",
        "*a",    "&a",   "{a}",       "[a]",     "2026-01-01"}) {
    const std::string written =
        Write({{"value", text}, {"after", 1}}, OutputFormat::kYaml);
    const YAML::Node node = YAML::Load(written);
    EXPECT_EQ(node["value"].Scalar(), text) << written;
    EXPECT_EQ(node["after"].as<int>(), 1);
    const bool quoted = node["value"].Tag() == "!";
    EXPECT_TRUE(quoted || text == "plain" || text == "a/b") << written;
  }
}

TEST(Output, YamlKeepsShapesAndOrder) {
  EXPECT_EQ(Write({{"z", {{"b", 1}, {"a", true}}},
                   {"list", {1, nullptr, "x"}},
                   {"none", OrderedJson::array()}},
                  OutputFormat::kYaml),
            "z:\n  b: 1\n  a: true\nlist:\n  - 1\n  - ~\n  - x\nnone: []\n");
}

TEST(Output, JsonOfTextThatIsNoUtf8IsStillJson) {
  EXPECT_TRUE(
      OrderedJson::accept(Write({{"value", "a\xff"}}, OutputFormat::kJson)));
}

}  // namespace
}  // namespace fluxnetes::services
