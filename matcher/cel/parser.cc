#include "matcher/cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "matcher/cel/macros.h"
#include "matcher/cel/token.h"

namespace fluxnetes::matcher::cel {
namespace {

using TokenKind = Token::Kind;

constexpr std::array<std::string_view, 17> kReserved = {
    "as",        "break",  "const",  "continue", "else", "for",
    "function",  "if",     "import", "let",      "loop", "package",
    "namespace", "return", "var",    "void",     "while"};

// The operators of a level of precedence, and their functions.
struct Operator {
  std::string_view sign;
  const char* function;
};
constexpr std::array<Operator, 7> kRelations = {{{"<", "_<_"},
                                                 {"<=", "_<=_"},
                                                 {">=", "_>=_"},
                                                 {">", "_>_"},
                                                 {"==", names::kEqual},
                                                 {"!=", names::kNotEqual},
                                                 {"in", names::kIn}}};
constexpr std::array<Operator, 2> kSums = {{{"+", names::kAdd}, {"-", "_-_"}}};
constexpr std::array<Operator, 3> kProducts = {
    {{"*", "_*_"}, {"/", "_/_"}, {"%", "_%_"}}};

// A parser by recursive descent. Each level counts how deep it is nested.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(Tokenize(text)) {}

  ExprPtr Whole() {
    ExprPtr expr = Expression();
    if (Now().kind != TokenKind::kEnd) Unexpected("an operator or the end");
    return expr;
  }

 private:
  class Depth {
   public:
    Depth(int& depth, Position at) : depth_(depth) { Deeper(at); }
    ~Depth() { depth_ -= added_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    void Deeper(Position at) {
      ++added_;
      if (++depth_ > kMaximumDepth) {
        throw ExpressionError(
            at, fmt::format("nested deeper than {}", kMaximumDepth));
      }
    }

   private:
    int& depth_;
    int added_ = 0;
  };

  const Token& Now() const { return tokens_[next_]; }
  const Token& Ahead() const {
    return tokens_[std::min(next_ + 1, tokens_.size() - 1)];
  }
  bool Accept(std::string_view sign) {
    if (!Now().Is(sign)) return false;
    ++next_;
    return true;
  }
  void Expect(std::string_view sign) {
    if (!Accept(sign)) Unexpected(fmt::format("'{}'", sign));
  }
  [[noreturn]] void Unexpected(std::string_view wanted) const {
    const Token& token = Now();
    const std::string found =
        token.kind == TokenKind::kEnd ? "the end" : "'" + token.text + "'";
    throw ExpressionError(
        token.at, fmt::format("expected {} instead of {}", wanted, found));
  }

  static ExprPtr New(Expr::Kind kind, Position at, std::string text = {}) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->at = at;
    expr->text = std::move(text);
    return expr;
  }
  static ExprPtr NewLiteral(Position at, Literal literal) {
    ExprPtr expr = New(Expr::Kind::kLiteral, at);
    expr->literal = std::move(literal);
    return expr;
  }
  template <class... Operands>
  static ExprPtr NewCall(Position at, std::string name, Operands... operands) {
    ExprPtr expr = New(Expr::Kind::kCall, at, std::move(name));
    (expr->operands.push_back(std::move(operands)), ...);
    return expr;
  }

  ExprPtr Expression();
  ExprPtr Logical(bool all);
  ExprPtr Relation();
  ExprPtr Sum();
  ExprPtr Product();
  ExprPtr Unary();
  ExprPtr Member();
  ExprPtr Field(ExprPtr target);
  ExprPtr Index(ExprPtr target);
  ExprPtr Primary();
  ExprPtr NameOrCall();
  ExprPtr Number(Position at, bool negative);
  ExprPtr List();
  ExprPtr Map();
  void Arguments(Expr& call);

  template <std::size_t N>
  const Operator* OneOf(const std::array<Operator, N>& operators) const {
    const auto found = std::ranges::find_if(
        operators, [this](const Operator& one) { return Now().Is(one.sign); });
    return found == operators.end() ? nullptr : &*found;
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int expressions_ = 0;
  int relations_ = 0;
  int calculations_ = 0;
  int products_ = 0;
  int members_ = 0;
};

ExprPtr Parser::Expression() {
  const Depth depth(expressions_, Now().at);
  ExprPtr condition = Logical(false);
  const Position at = Now().at;
  if (!Accept("?")) return condition;
  ExprPtr yes = Logical(false);
  Expect(":");
  ExprPtr no = Expression();
  return NewCall(at, names::kChoice, std::move(condition), std::move(yes),
                 std::move(no));
}

// All operands of && (all), or of ||, in one call.
ExprPtr Parser::Logical(bool all) {
  const auto operand = [this, all] { return all ? Relation() : Logical(true); };
  const std::string_view sign = all ? "&&" : "||";
  ExprPtr first = operand();
  if (!Now().Is(sign)) return first;
  ExprPtr call =
      NewCall(Now().at, all ? names::kAnd : names::kOr, std::move(first));
  while (Accept(sign)) call->operands.push_back(operand());
  return call;
}

ExprPtr Parser::Relation() {
  Depth depth(relations_, Now().at);
  ExprPtr left = Sum();
  while (const Operator* found = OneOf(kRelations)) {
    const Position at = Now().at;
    depth.Deeper(at);
    ++next_;
    const Depth right_depth(relations_, at);
    ExprPtr right = Sum();
    left = NewCall(at, found->function, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr Parser::Sum() {
  Depth depth(calculations_, Now().at);
  ExprPtr left = Product();
  while (const Operator* found = OneOf(kSums)) {
    const Position at = Now().at;
    depth.Deeper(at);
    ++next_;
    const Depth right_depth(calculations_, at);
    ExprPtr right = Product();
    left = NewCall(at, found->function, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr Parser::Product() {
  Depth depth(products_, Now().at);
  ExprPtr left = Unary();
  while (const Operator* found = OneOf(kProducts)) {
    const Position at = Now().at;
    depth.Deeper(at);
    ++next_;
    ExprPtr right = Unary();
    left = NewCall(at, found->function, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr Parser::Unary() {
  const Position at = Now().at;
  for (const char* sign : {"!", "-"}) {
    if (!Now().Is(sign)) continue;
    const bool number =
        Ahead().kind == TokenKind::kInt || Ahead().kind == TokenKind::kDouble;
    if (*sign == '-' && number) break;  // the sign of a literal
    int count = 0;
    while (Accept(sign)) ++count;
    ExprPtr operand = Member();
    if (count % 2 == 0) return operand;
    return NewCall(at, *sign == '!' ? names::kNot : names::kNegate,
                   std::move(operand));
  }
  return Member();
}

ExprPtr Parser::Member() {
  Depth depth(members_, Now().at);
  ExprPtr expr = Primary();
  while (Now().Is(".") || Now().Is("[")) {
    depth.Deeper(Now().at);
    expr = Now().Is(".") ? Field(std::move(expr)) : Index(std::move(expr));
  }
  return expr;
}

ExprPtr Parser::Field(ExprPtr target) {
  const Position at = Now().at;
  Expect(".");
  const bool optional = Accept("?");
  if (Now().kind != TokenKind::kName) Unexpected("the name of a field");
  std::string name = Now().text;
  if (name == "true" || name == "false" || name == "null") {
    Unexpected("the name of a field");
  }
  ++next_;
  if (optional) {
    return NewCall(at, names::kOptionalField, std::move(target),
                   NewLiteral(at, std::move(name)));
  }
  if (!Now().Is("(")) {
    ExprPtr field = New(Expr::Kind::kField, at, std::move(name));
    field->operands.push_back(std::move(target));
    return field;
  }
  ExprPtr call = NewCall(at, std::move(name), std::move(target));
  call->has_target = true;
  Arguments(*call);
  return ExpandMacro(std::move(call));
}

ExprPtr Parser::Index(ExprPtr target) {
  const Position at = Now().at;
  Expect("[");
  const char* const name = Accept("?") ? names::kOptionalIndex : names::kIndex;
  ExprPtr index = Expression();
  Expect("]");
  return NewCall(at, name, std::move(target), std::move(index));
}

void Parser::Arguments(Expr& call) {
  Expect("(");
  if (Accept(")")) return;
  do {
    call.operands.push_back(Expression());
  } while (Accept(","));
  Expect(")");
}

ExprPtr Parser::Primary() {
  const Token token = Now();
  switch (token.kind) {
    case TokenKind::kName:
      return NameOrCall();
    case TokenKind::kInt:
    case TokenKind::kDouble:
      return Number(token.at, false);
    case TokenKind::kUint:
      ++next_;
      return NewLiteral(token.at, token.number);
    case TokenKind::kString:
      ++next_;
      return NewLiteral(token.at, token.text);
    default:
      break;
  }
  if (Now().Is("[")) return List();
  if (Now().Is("{")) return Map();
  if (Accept("-")) return Number(token.at, true);
  if (Accept("(")) {
    ExprPtr expr = Expression();
    Expect(")");
    return expr;
  }
  if (Now().Is(".") && Ahead().kind == TokenKind::kName) {
    throw ExpressionError(token.at,
                          "a name with a leading dot is not supported");
  }
  Unexpected("a value");
}

ExprPtr Parser::NameOrCall() {
  const Position at = Now().at;
  std::string name = Now().text;
  if (std::ranges::find(kReserved, name) != kReserved.end()) {
    throw ExpressionError(at, fmt::format("{} is a reserved word", name));
  }
  ++next_;
  if (name == "true" || name == "false") return NewLiteral(at, name == "true");
  if (name == "null") return NewLiteral(at, std::monostate());
  if (Now().Is("{")) {
    throw ExpressionError(
        at,
        fmt::format("messages, such as {}{{...}}, are not supported", name));
  }
  if (!Now().Is("(")) return New(Expr::Kind::kName, at, std::move(name));
  ExprPtr call = NewCall(at, std::move(name));
  Arguments(*call);
  return ExpandMacro(std::move(call));
}

ExprPtr Parser::Number(Position at, bool negative) {
  const Token token = Now();
  ++next_;
  if (token.kind == TokenKind::kDouble) {
    return NewLiteral(at, negative ? -token.real : token.real);
  }
  if (token.kind != TokenKind::kInt) {
    --next_;
    Unexpected("a number");
  }
  const bool hex = token.text.starts_with("0x");
  const char* const first = token.text.data() + (hex ? 2 : 0);
  const char* const last = token.text.data() + token.text.size();
  std::uint64_t number = 0;
  const auto read = std::from_chars(first, last, number, hex ? 16 : 10);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (read.ec != std::errc() || number > kMost + (negative ? 1 : 0)) {
    throw ExpressionError(at, fmt::format("{}{} is larger than an int",
                                          negative ? "-" : "", token.text));
  }
  return NewLiteral(at,
                    static_cast<std::int64_t>(negative ? 0 - number : number));
}

ExprPtr Parser::List() {
  ExprPtr list = New(Expr::Kind::kList, Now().at);
  Expect("[");
  while (!Now().Is("]")) {
    if (Now().Is(",") && Ahead().Is("]")) {
      ++next_;
      break;
    }
    if (!list->operands.empty()) Expect(",");
    list->optional.push_back(Accept("?"));
    list->operands.push_back(Expression());
  }
  Expect("]");
  return list;
}

ExprPtr Parser::Map() {
  ExprPtr map = New(Expr::Kind::kMap, Now().at);
  Expect("{");
  while (!Now().Is("}")) {
    if (Now().Is(",") && Ahead().Is("}")) {
      ++next_;
      break;
    }
    if (!map->operands.empty()) Expect(",");
    map->optional.push_back(Accept("?"));
    map->operands.push_back(Expression());
    Expect(":");
    map->operands.push_back(Expression());
  }
  Expect("}");
  return map;
}

// Without recursion, since the tree may be too deep for it.
void CheckDepth(const Expr& root) {
  std::vector<std::pair<const Expr*, int>> waiting = {{&root, 1}};
  while (!waiting.empty()) {
    const auto [expr, depth] = waiting.back();
    waiting.pop_back();
    if (depth > kMaximumTreeDepth) {
      throw ExpressionError(
          expr->at, fmt::format("nested deeper than {}", kMaximumTreeDepth));
    }
    for (const ExprPtr& operand : expr->operands) {
      waiting.emplace_back(operand.get(), depth + 1);
    }
  }
}

}  // namespace

ExprPtr Parse(std::string_view expression) {
  if (expression.size() > kMaximumBytes) {
    throw ExpressionError(
        {}, fmt::format("the expression has {} bytes; at most {} are allowed",
                        expression.size(), kMaximumBytes));
  }
  ExprPtr expr = Parser(expression).Whole();
  CheckDepth(*expr);
  return expr;
}

}  // namespace fluxnetes::matcher::cel
