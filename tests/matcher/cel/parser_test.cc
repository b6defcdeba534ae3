#include "matcher/cel/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/cel/expression_error.h"

namespace fluxnetes::matcher::cel {
namespace {

// The tree in brackets: operators and functions before their operands.
std::string Tree(const Expr& expr) {
  std::string text;
  switch (expr.kind) {
    case Expr::Kind::kLiteral:
      if (const auto* string = std::get_if<std::string>(&expr.literal)) {
        return "'" + *string + "'";
      }
      if (const auto* number = std::get_if<std::int64_t>(&expr.literal)) {
        return std::to_string(*number);
      }
      if (const auto* boolean = std::get_if<bool>(&expr.literal)) {
        return *boolean ? "true" : "false";
      }
      return "literal";
    case Expr::Kind::kName:
      return expr.text;
    case Expr::Kind::kField:
      text = (expr.tests_presence ? "has ." : ".") + expr.text;
      break;
    case Expr::Kind::kCall:
      text = expr.text;
      break;
    case Expr::Kind::kList:
      text = "list";
      break;
    case Expr::Kind::kMap:
      text = "map";
      break;
    case Expr::Kind::kLoop:
      text = "loop " + expr.loop_variable;
      break;
  }
  for (const ExprPtr& operand : expr.operands) text += " " + Tree(*operand);
  return "(" + text + ")";
}

std::string Parsed(std::string_view text) { return Tree(*Parse(text)); }

std::string Fault(std::string_view text) {
  try {
    return "parsed: " + Parsed(text);
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

TEST(CelParser, OperatorsBindAsTheLanguageSays) {
  EXPECT_EQ(Parsed("a || b && c"), "(_||_ a (_&&_ b c))");
  EXPECT_EQ(Parsed("a == 1 + 2 * 3"), "(_==_ a (_+_ 1 (_*_ 2 3)))");
  EXPECT_EQ(Parsed("1 - 2 - 3"), "(_-_ (_-_ 1 2) 3)");
  EXPECT_EQ(Parsed("!a.b"), "(!_ (.b a))");
  EXPECT_EQ(Parsed("!!a"), "a");
  EXPECT_EQ(Parsed("-a % 2"), "(_%_ (-_ a) 2)");
  EXPECT_EQ(Parsed("-7"), "-7");
  EXPECT_EQ(Parsed("a ? b : c ? d : e"), "(_?_:_ a b (_?_:_ c d e))");
  EXPECT_EQ(Parsed("'x' in a.b"), "(@in 'x' (.b a))");
  EXPECT_EQ(Parsed("(a || b) && c"), "(_&&_ (_||_ a b) c)");
}

TEST(CelParser, FieldsIndexesAndCallsFollowOneAnother) {
  EXPECT_EQ(Parsed("a.b['c'].d(1, 2)"), "(d (_[_] (.b a) 'c') 1 2)");
  EXPECT_EQ(Parsed("a.?b[?0]"), "(_[?_] (_?._ a 'b') 0)");
  EXPECT_EQ(Parsed("[1, 2,]"), "(list 1 2)");
  EXPECT_EQ(Parsed("{'a': 1}"), "(map 'a' 1)");
  EXPECT_EQ(Parsed("[]"), "(list)");
}

TEST(CelParser, LiteralsHaveTheirEscapes) {
  EXPECT_EQ(Parsed(R"("a\"b")"), "'a\"b'");
  EXPECT_EQ(Parsed(R"('\x41\u00e9\101')"), "'A\u00e9A'");
  EXPECT_EQ(Parsed(R"(r'\d+')"), "'\\d+'");
  EXPECT_EQ(Parsed("'''a\n'b'''"), "'a\n'b'");
  EXPECT_EQ(Parsed("0x1F"), "31");
  EXPECT_EQ(Parsed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Parsed("1 // one\n + 2"), "(_+_ 1 2)");
}

TEST(CelParser, MacrosAreLoops) {
  EXPECT_EQ(Parsed("has(a.b)"), "(has .b a)");
  EXPECT_EQ(Parsed("a.all(x, x)"),
            "(loop x a true (@not_strictly_false @result) (_&&_ @result x) "
            "@result)");
  EXPECT_EQ(Parsed("a.filter(x, x)"),
            "(loop x a (list) true (_?_:_ x (_+_ @result (list x)) @result) "
            "@result)");
  EXPECT_EQ(Parsed("cel.bind(x, 1, x)"), "(loop #unused (list) 1 false x x)");
  EXPECT_EQ(Parsed("a.map(x)"), "(map a x)");  // a call, for the checker
}

TEST(CelParser, FaultsHaveTheirPlace) {
  EXPECT_EQ(Fault(""), "1:1: expected a value instead of the end");
  EXPECT_EQ(Fault("a &&\n  )"), "2:3: expected a value instead of ')'");
  EXPECT_EQ(Fault("a b"),
            "1:3: expected an operator or the end instead of 'b'");
  EXPECT_EQ(Fault("'\u00e9' @"), "1:5: CEL has no '@'");
  EXPECT_EQ(Fault("'abc"), "1:1: the string has no end");
  EXPECT_EQ(Fault(R"('\d')"), "1:2: CEL has no escape \\d");
  EXPECT_EQ(Fault("b'x'"), "1:1: bytes are not supported");
  EXPECT_EQ(Fault("for"), "1:1: for is a reserved word");
  EXPECT_EQ(Fault("Foo{a: 1}"),
            "1:1: messages, such as Foo{...}, are not supported");
  EXPECT_EQ(Fault("a.all(1, x)"), "1:7: all needs a variable's name here");
  EXPECT_EQ(Fault("a.all(i, x, true)"),
            "1:2: all with 3 operands is not supported");
  EXPECT_EQ(Fault("9223372036854775808"),
            "1:1: 9223372036854775808 is larger than an int");
}

TEST(CelParser, SizeAndDepthAreLimited) {
  EXPECT_EQ(Fault(std::string(kMaximumBytes + 1, ' ')),
            "1:1: the expression has 10241 bytes; at most 10240 are allowed");
  const auto nested = [](int depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_EQ(Parsed(nested(kMaximumDepth - 1)), "a");
  EXPECT_EQ(Fault(nested(kMaximumDepth)), "1:251: nested deeper than 250");
  std::string sum = "1";
  for (int i = 0; i < kMaximumDepth; ++i) sum += "+1";
  EXPECT_EQ(Fault(sum), "1:498: nested deeper than 250");
}

TEST(CelParser, TreesAreLimitedWhateverTheyConsistOf) {
  std::string deep = "1";
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 200; ++k) deep += "+1";
    deep = "(" + deep + ")*1";
  }
  EXPECT_TRUE(Fault(deep).ends_with("nested deeper than 1000")) << Fault(deep);
  std::string chain = "a";
  for (int i = 0; i < 40; ++i) chain += ".optMap(x, x)";
  EXPECT_TRUE(Fault(chain).ends_with("follows on too large an expression"))
      << Fault(chain).substr(0, 100);
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
