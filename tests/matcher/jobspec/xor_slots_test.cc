#include "matcher/jobspec/xor_slots.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

// Returns resources [first, last) as "node(slot(core,gpu))".
std::string Show(const Jobspec& jobspec, int first, int last) {
  std::string text;
  for (int i = first; i < last; ++i) {
    const JobResource& resource = jobspec.resources[i];
    text += (i == first ? "" : ",") + resource.type;
    if (resource.first < resource.last) {
      text += "(" + Show(jobspec, resource.first, resource.last) + ")";
    }
  }
  return text;
}

std::string Expanded(const std::string& resources) {
  const Jobspec jobspec = ParseJobspec(
      "{version: 1, tasks: [], attributes: "
      "null, resources: [" +
      resources + "]}");
  std::string text;
  for (const auto& [variant, origins] : ExpandXorSlots(jobspec)) {
    text += Show(variant, 0, variant.top) + "\n";
  }
  return text;
}

std::string Slot(const std::string& with) {
  return "{type: xor_slot, count: 1, label: a, with: [" + with + "]}";
}

std::string One(const std::string& type, const std::string& with = "") {
  return "{type: " + type + ", count: 1" +
         (with.empty() ? "" : ", with: [" + with + "]") + "}";
}

TEST(XorSlots, EachIsAJobspecOfItsOwn) {
  EXPECT_EQ(Expanded(One("node", Slot(One("core")) + "," + Slot(One("gpu")))),
            "node(slot(core))\nnode(slot(gpu))\n");
}

TEST(XorSlots, NestedOnesMultiply) {
  const std::string inner = Slot(One("core")) + "," + Slot(One("gpu"));
  EXPECT_EQ(Expanded(Slot(One("socket", inner)) + "," + Slot(One("node"))),
            "slot(socket(slot(core)))\nslot(socket(slot(gpu)))\n"
            "slot(node)\n");
}

TEST(XorSlots, TooManyAreRefused) {
  std::string list;
  for (int i = 0; i < 11; ++i) list += (i == 0 ? "" : ",") + Slot(One("core"));
  std::string siblings;
  for (const char* type : {"a", "b", "c"}) {
    siblings += (siblings.empty() ? "" : ",") + One(type, list);
  }
  EXPECT_EQ(Expanded(siblings), "");
}

}  // namespace
}  // namespace fluxnetes::matcher
