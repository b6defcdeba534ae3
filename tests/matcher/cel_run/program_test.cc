#include "matcher/cel_run/program.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/cel/expression_error.h"

namespace fluxnetes::matcher::cel {
namespace {

// "true", "false", "error: ..." or "refused: ..." of an expression without
// variables.
std::string Said(std::string_view text, std::uint64_t limit = 1'000'000) {
  try {
    const auto result = Program(text, {}).Evaluate({}, limit);
    if (!result.error.empty()) return "error: " + result.error;
    return result.value ? "true" : "false";
  } catch (const ExpressionError& error) {
    return std::string("refused: ") + error.what();
  }
}

std::uint64_t CostOfText(std::string_view text) {
  return Program(text, {}).Evaluate({}, 1'000'000).cost;
}

TEST(CelProgram, ArithmeticOverflowsAreErrors) {
  EXPECT_EQ(Said("1 + 2 * 3 == 7"), "true");
  EXPECT_EQ(Said("7 / 2 == 3 && -7 % 3 == -1"), "true");
  EXPECT_EQ(Said("9223372036854775807 + 1 > 0"), "error: an int overflows");
  EXPECT_EQ(Said("1u - 2u == 0u"), "error: a uint overflows");
  EXPECT_EQ(Said("1 / 0 == 0"), "error: a division by zero");
  EXPECT_EQ(Said("1.0 / 0.0 > 1.0"), "true");
  EXPECT_EQ(Said("-(-9223372036854775808) > 0"), "error: an int overflows");
}

TEST(CelProgram, AndAndOrMakeUpForErrors) {
  EXPECT_EQ(Said("1 / 0 == 0 || true"), "true");
  EXPECT_EQ(Said("1 / 0 == 0 && false"), "false");
  EXPECT_EQ(Said("1 / 0 == 0 && true"), "error: a division by zero");
  EXPECT_EQ(Said("false || 1 / 0 == 0"), "error: a division by zero");
  EXPECT_EQ(Said("[1, 0].exists(x, 1 / x == 1)"), "true");
  EXPECT_EQ(Said("[0, 1].exists(x, 1 / x == 1)"), "true");
  EXPECT_EQ(Said("[0, 1].all(x, 1 / x == 1)"), "error: a division by zero");
  EXPECT_EQ(Said("[0, 2].all(x, 1 / x == 1)"), "false");
  EXPECT_EQ(Said("[0, 1].exists_one(x, 1 / x == 1)"),
            "error: a division by zero");
}

TEST(CelProgram, MacrosGoOverListsAndKeys) {
  EXPECT_EQ(Said("[1, 2, 3].map(x, x * x) == [1, 4, 9]"), "true");
  EXPECT_EQ(Said("[1, 2, 3].map(x, x > 1, x * x) == [4, 9]"), "true");
  EXPECT_EQ(Said("[1, 2, 3].filter(x, x % 2 == 1) == [1, 3]"), "true");
  EXPECT_EQ(Said("{'a': 1, 'b': 2}.exists(k, k == 'b')"), "true");
  EXPECT_EQ(Said("[1, 2, 2].exists_one(x, x == 2)"), "false");
  EXPECT_EQ(Said("cel.bind(x, [1, 2], x.map(y, x.size() + y) == [3, 4])"),
            "true");
  EXPECT_EQ(Said("cel.bind(x, 1 / 0, true)"), "true");  // it is not read
}

TEST(CelProgram, StringsCountCharacters) {
  EXPECT_EQ(Said("'h\u00e9llo'.size() == 5"), "true");
  EXPECT_EQ(Said("'h\u00e9llo'.substring(1, 3) == '\u00e9l'"), "true");
  EXPECT_EQ(Said("'abcabc'.indexOf('c', 3) == 5"), "true");
  EXPECT_EQ(Said("'abcabc'.lastIndexOf('b') == 4"), "true");
  EXPECT_EQ(Said("'a,b,c'.split(',', 2) == ['a', 'b,c']"), "true");
  EXPECT_EQ(Said("'ab'.replace('', '-') == '-a-b-'"), "true");
  EXPECT_EQ(Said("'aaa'.replace('a', 'b', 2) == 'bba'"), "true");
  EXPECT_EQ(Said("'\u00a0 x\\t'.trim() == 'x'"), "true");
  EXPECT_EQ(Said("['a', 'b'].join('-') == 'a-b'"), "true");
  EXPECT_EQ(Said("'ABC\u00c4'.lowerAscii() == 'abc\u00c4'"), "true");
  EXPECT_EQ(Said("'abc'.charAt(3) == ''"), "true");
  EXPECT_EQ(Said("'abc'.charAt(4) == ''"), "error: 4 is out of range");
  EXPECT_EQ(Said("'a1b22'.findAll('[0-9]+') == ['1', '22']"), "true");
  EXPECT_EQ(Said("'abc'.findAll('x*') == ['', '', '', '']"), "true");
}

TEST(CelProgram, PatternsAreThoseOfRe2) {
  EXPECT_EQ(Said("'A100-SXM4'.matches('^A[0-9]+-SXM')"), "true");
  EXPECT_EQ(Said("'x'.matches('(')"),
            "refused: 1:13: bad pattern: missing ): (");
  EXPECT_EQ(Said("'x'.matches('x' + '(')"),
            "error: bad pattern: missing ): x(");
  EXPECT_EQ(Said("'x'.matches('\\\\C')"),
            "refused: 1:13: bad pattern: \\C is not supported");
}

TEST(CelProgram, ConversionsOfConstantsAreRefusedAtOnce) {
  EXPECT_EQ(Said("int('12') + int(3.9) + int(4u) == 19"), "true");
  EXPECT_EQ(Said("int('x') == 1"), "refused: 1:1: 'x' is no int");
  EXPECT_EQ(Said("int('x' + 'y') == 1"), "error: 'xy' is no int");
  EXPECT_EQ(Said("string(1.0) == '1' && string(1e7) == '1e+07'"), "true");
  EXPECT_EQ(Said("double('-Inf') < 0.0 && bool('T')"), "true");
  EXPECT_EQ(Said("type(1u) == uint && type([]) == list"), "true");
}

TEST(CelProgram, OptionalValuesAreReadWhereTheyAreThere) {
  EXPECT_EQ(Said("{'a': 1}.?a.orValue(2) == 1"), "true");
  EXPECT_EQ(Said("{'a': 1}.?b.orValue(2) == 2"), "true");
  EXPECT_EQ(Said("[1][?3].hasValue()"), "false");
  EXPECT_EQ(Said("{'a': {'b': 1}}.?a.b.optMap(x, x + 1).value() == 2"), "true");
  EXPECT_EQ(Said("[?optional.of(1), ?optional.none()] == [1]"), "true");
  EXPECT_EQ(Said("optional.none().value() == 1"),
            "error: the optional has no value");
  EXPECT_EQ(Said("has({'a': 1}.a) && !has({'a': 1}.b)"), "true");
}

TEST(CelProgram, QuantitiesAndVersionsHaveTheirFunctions) {
  EXPECT_EQ(Said("quantity('1Gi').isGreaterThan(quantity('1G'))"), "true");
  EXPECT_EQ(Said("quantity('1').add(1).sub(quantity('500m')) == "
                 "quantity('1.5')"),
            "true");
  EXPECT_EQ(Said("quantity('2k').asInteger() == 2000"), "true");
  EXPECT_EQ(Said("sign(quantity('-1')) == -1"), "true");
  EXPECT_EQ(Said("semver('1.10.0').isGreaterThan(semver('1.9.0'))"), "true");
  EXPECT_EQ(Said("semver('v1.2', true).minor() == 2"), "true");
  EXPECT_EQ(Said("isSemver('1.2') || isQuantity('1x')"), "false");
}

TEST(CelProgram, TheResultMustBeABool) {
  EXPECT_EQ(Said("1"),
            "refused: 1:1: a selector must be a bool instead of int");
  EXPECT_EQ(Said("dyn(true)"),
            "refused: 1:1: a selector must be a bool instead of dyn");
}

TEST(CelProgram, CostsAreThoseOfCel) {
  EXPECT_EQ(CostOfText("1 + 1 == 2"), 2u);
  EXPECT_EQ(CostOfText("'abc' == 'xyz'"), 1u);
  EXPECT_EQ(CostOfText("[1, 2, 3].all(x, x > 0)"), 16u);
  EXPECT_EQ(CostOfText("1 in [1, 2]"), 0u);
  EXPECT_EQ(Said("[1, 2, 3].all(x, x > 0)", 15),
            "error: the cost limit is exceeded");
}

TEST(CelProgram, ExpressionsThatCostTooMuchEnd) {
  std::string text = "true";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    text = std::string("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(") + name + ", " +
           text + ")";
  }
  EXPECT_EQ(Said("true || " + text), "true");
  EXPECT_EQ(Said(text + " || true"), "error: the cost limit is exceeded");
  // Cheap by CEL's count, but twice as long with each line.
  std::string doubled = "a.size() > 0";
  for (int i = 0; i < 60; ++i) doubled = "cel.bind(a, a + a, " + doubled + ")";
  EXPECT_EQ(Said("cel.bind(a, [1, 2], " + doubled + ")"),
            "error: the expression makes values of over 64 MiB");
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
