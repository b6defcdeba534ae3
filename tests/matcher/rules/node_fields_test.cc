#include "matcher/rules/node_fields.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

std::string Field(const char* field, const std::string& name) {
  std::string room;
  const std::string* const value = FieldOf(field, name, room);
  return value == nullptr ? "none" : *value;
}

TEST(NodeFields, NameIsTheName) {
  EXPECT_EQ(Field(kNameField, "node-7"), "node-7");
}

TEST(NodeFields, LogicalIdIsTheNumberAtTheEndOfTheName) {
  EXPECT_EQ(Field(kLogicalIdField, "node-007"), "7");
  EXPECT_EQ(Field(kLogicalIdField, "12"), "12");
  EXPECT_EQ(Field(kLogicalIdField, "login"), "none");
  EXPECT_EQ(Field(kLogicalIdField, "n99999999999999999999"), "none");
  EXPECT_EQ(Field(kLogicalIdField, ""), "none");
}

TEST(NodeFields, NoOtherFieldHasAValue) {
  EXPECT_EQ(Field("spec.unschedulable", "node-7"), "none");
}

}  // namespace
}  // namespace fluxnetes::matcher
