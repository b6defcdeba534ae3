#include "matcher/cel/checker.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/cel/parser.h"

namespace fluxnetes::matcher::cel {
namespace {

// The type of an expression on a string `name`, a map `any` of what is known
// only when evaluated, and a `device`.
std::string TypeOf(std::string_view text) {
  TypePool pool;
  const Environment environment{
      {{"name", pool.FromText("string")},
       {"any", pool.FromText("map(string, any)")},
       {"device", pool.FromText("Device")}},
      {{"Device", {{"driver", pool.FromText("string")}}}}};
  try {
    const ExprPtr expr = Parse(text);
    CheckTypes(*expr, environment, pool);
    return ToText(*expr->type);
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

TEST(CelChecker, FindsTheTypesOfExpressions) {
  EXPECT_EQ(TypeOf("name.size() + 1"), "int");
  EXPECT_EQ(TypeOf("name.split(',').map(x, x.size())"), "list(int)");
  EXPECT_EQ(TypeOf("[1, 2].exists(x, x > 1.5)"), "bool");
  EXPECT_EQ(TypeOf("{'a': quantity('1')}.a"), "kubernetes.Quantity");
  EXPECT_EQ(TypeOf("any.x"), "any");
  EXPECT_EQ(TypeOf("any.x > 1"), "bool");
  EXPECT_EQ(TypeOf("any.?x"), "optional(any)");
  EXPECT_EQ(TypeOf("any.?x.orValue(false)"), "any");
  EXPECT_EQ(TypeOf("optional.of(1).orValue(2)"), "int");
  EXPECT_EQ(TypeOf("true ? any.x : 1"), "any");
  EXPECT_EQ(TypeOf("device.driver"), "string");
  EXPECT_EQ(TypeOf("cel.bind(x, 1u, x)"), "uint");
  EXPECT_EQ(TypeOf("[]"), "list(dyn)");
  EXPECT_EQ(TypeOf("type(1) == int"), "bool");
}

TEST(CelChecker, RefusesTypesThatDoNotFit) {
  EXPECT_EQ(TypeOf("name + 1"), "1:6: _+_ cannot be applied to (string, int)");
  EXPECT_EQ(TypeOf("1 == 1.0"), "1:3: _==_ cannot be applied to (int, double)");
  EXPECT_EQ(TypeOf("name && true"), "1:1: expected bool instead of string");
  EXPECT_EQ(TypeOf("[1, 'a']"), "1:5: expected int instead of string");
  EXPECT_EQ(TypeOf("[any.x, 1]"), "1:9: expected any instead of int");
  EXPECT_EQ(TypeOf("{'a': 1, 2: 3}"), "1:10: expected string instead of int");
  EXPECT_EQ(TypeOf("name.all(x, true)"),
            "1:1: string is neither a list nor a map");
  EXPECT_EQ(TypeOf("any.x.all(x, true)"),
            "1:4: any is neither a list nor a map");
  EXPECT_EQ(TypeOf("name.foo"), "1:5: string has no fields");
  EXPECT_EQ(TypeOf("device.model"), "1:7: Device has no field model");
  EXPECT_EQ(TypeOf("[1].map(x, [x]).all(y, y)"),
            "1:24: expected bool instead of list(int)");
}

TEST(CelChecker, NamesWhatDoesNotExistAndWhatIsNotSupported) {
  EXPECT_EQ(TypeOf("nobody"), "1:1: there is no variable nobody");
  EXPECT_EQ(TypeOf("name.frob()"), "1:5: there is no function frob");
  EXPECT_EQ(TypeOf("ip(name)"), "1:1: the function ip is not supported");
  EXPECT_EQ(TypeOf("sets.contains([1], [1])"),
            "1:5: the function sets.contains is not supported");
  EXPECT_EQ(TypeOf("type(1) == bytes"),
            "1:12: the type bytes is not supported");
}

TEST(CelChecker, VariablesOfLoopsAreKnownInThemAlone) {
  EXPECT_EQ(TypeOf("[1].all(x, x == 1) && x == 1"),
            "1:23: there is no variable x");
  EXPECT_EQ(TypeOf("[name].exists(name, name == 'a')"), "bool");
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
