#include "tests/matcher/random/random_selector.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr auto kDomains = std::to_array<std::string_view>(
    {"gpu.example.com", "gpu.example.com", "resource.kubernetes.io", "nobody"});

// What an attribute is called; its first letter says what it mostly is.
constexpr auto kAttributeNames = std::to_array<std::string_view>(
    {"bEcc", "bMig", "iIndex", "iCores", "sModel", "sUuid", "vDriver", "vCuda",
     "missing"});
constexpr auto kCapacityNames =
    std::to_array<std::string_view>({"memory", "cores", "missing"});
constexpr auto kTexts = std::to_array<std::string_view>(
    {"", "a", "H100", "A100-SXM4-80GB", "GPU-1-2-3", "h\u00e9llo w\u00f6rld",
     "1.2.3", "80Gi", "12", "-7", "1.5", "true", "pci0000:01", " x "});
constexpr auto kVersions = std::to_array<std::string_view>(
    {"1.2.3", "1.10.0", "550.127.5", "1.0.0-rc.1", "1.0.0-rc.1+b", "v1.2",
     "x"});
constexpr auto kAmounts = std::to_array<std::string_view>(
    {"0", "1", "80Gi", "40960Mi", "1500m", "1000m", "1.5Gi", "-3", "2k", "1Ei",
     "1e3", "bad"});
constexpr auto kPatterns = std::to_array<std::string_view>(
    {"^H[0-9]+$", "A.*", "[a-z]", "x*", "(", "\\d+", "(?i)gpu"});
constexpr std::string_view kTypes = "bidusqvln";
constexpr auto kTypeNames = std::to_array<std::string_view>(
    {"bool", "int", "double", "uint", "string", "list", "map", "type"});
constexpr auto kVariables = std::to_array<std::string_view>({"x", "y", "z"});

// A variable of a loop, and the letter of its type: b, i, d, u, s, q, v, l (of
// strings) or n (list of ints).
using Variables = std::vector<std::pair<std::string, char>>;

class SelectorWriter {
 private:
  int Below(int count) { return random_.Below(count); }
  bool OneIn(int count) { return Below(count) == 0; }
  template <class Choices>
  auto Pick(const Choices& choices) {
    return choices[Below(static_cast<int>(choices.size()))];
  }

 public:
  explicit SelectorWriter(Random& random) : random_(random) {}

  std::string Of(char type, int depth) {
    if (OneIn(60)) type = Pick(kTypes);
    if (OneIn(4)) {
      for (const auto& [name, variable_type] : variables_) {
        if (variable_type == type) return name;
      }
    }
    if (depth > 0 && OneIn(9)) return Common(type, depth - 1);
    switch (type) {
      case 'b':
        return Bool(depth - 1);
      case 'i':
        return Int(depth - 1);
      case 'd':
        return Double(depth - 1);
      case 'u':
        return Uint(depth - 1);
      case 's':
        return Text(depth - 1);
      case 'q':
        return Amount(depth - 1);
      case 'v':
        return Version(depth - 1);
      case 'l':
        return Texts(depth - 1);
      default:
        return Ints(depth - 1);
    }
  }

 private:
  static std::string Quote(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + "'";
  }
  std::string Literal(std::string_view text) { return Quote(text); }

  std::string Domain() {
    return fmt::format("device.attributes[{}]", Quote(Pick(kDomains)));
  }
  std::string Attribute(char type) {
    std::string_view name;
    do {
      name = Pick(kAttributeNames);
    } while (name[0] != type && name[0] != 'm' && !OneIn(30));
    switch (Below(6)) {
      case 0:
        return fmt::format("{}[{}]", Domain(), Quote(name));
      case 1:
        return fmt::format("{}.?{}.orValue({})", Domain(), name, Of(type, 1));
      case 2:
        return fmt::format("{}[?{}].orValue({})", Domain(), Quote(name),
                           Of(type, 1));
      default:
        return fmt::format("{}.{}", Domain(), name);
    }
  }
  std::string Common(char type, int depth) {
    switch (Below(9)) {
      case 6:
        return Mapped(type, depth);
      case 7:
        return fmt::format("[{}, ?{}].{}().value()", Of(type, depth),
                           Optional(type, depth), OneIn(2) ? "first" : "last");
      case 8:
        return fmt::format("{{'a': {}, ?'b': {}}}[{}]", Of(type, depth),
                           Optional(type, depth), Of('s', depth));
      case 0:
        return fmt::format("({} ? {} : {})", Of('b', depth), Of(type, depth),
                           Of(type, depth));
      case 1:
        return Bound(type, depth);
      case 2:
        return fmt::format("[{}, {}][{}]", Of(type, depth), Of(type, depth),
                           Below(3));
      case 3:
        return fmt::format("{{'a': {}, 'b': {}}}.{}", Of(type, depth),
                           Of(type, depth), Pick(std::string_view("abc")));
      case 4:
        return fmt::format("optional.{}.orValue({})",
                           OneIn(2) ? "none()" : "of(" + Of(type, depth) + ")",
                           Of(type, depth));
      default:
        return fmt::format("dyn({})", Of(type, depth));
    }
  }
  std::string Optional(char type, int depth) {
    if (OneIn(4)) return "optional.none()";
    if (OneIn(3)) {
      return fmt::format("{}.?{}", Domain(), Pick(kAttributeNames));
    }
    return fmt::format("optional.{}({})", OneIn(3) ? "ofNonZeroValue" : "of",
                       Of(type, depth));
  }
  std::string Mapped(char type, int depth) {
    const char from = Pick(std::string_view("bisn"));
    const std::string name(Pick(kVariables));
    const std::string optional = Optional(from, depth);
    if (OneIn(2)) {
      return fmt::format("{}.optMap({}, {}).orValue({})", optional, name,
                         With(name, from, type, depth), Of(type, depth));
    }
    variables_.insert(variables_.begin(), {name, from});
    const std::string flat = Optional(type, depth);
    variables_.erase(variables_.begin());
    return fmt::format("{}.optFlatMap({}, {}).or({}).orValue({})", optional,
                       name, flat, Optional(type, depth), Of(type, depth));
  }
  std::string Bound(char type, int depth) {
    const char bound = Pick(std::string_view("bisqv"));
    const std::string name(Pick(kVariables));
    const std::string value = Of(bound, depth);
    return fmt::format("cel.bind({}, {}, {})", name, value,
                       With(name, bound, type, depth));
  }
  // An expression in which a variable is known.
  std::string With(const std::string& name, char variable_type, char type,
                   int depth) {
    variables_.insert(variables_.begin(), {name, variable_type});
    std::string text = Of(type, depth);
    variables_.erase(variables_.begin());
    return text;
  }
  std::string Compared(int depth) {
    static constexpr std::array<std::string_view, 6> kSigns = {
        "<", "<=", ">", ">=", "==", "!="};
    const char type = Pick(std::string_view("iiudsb"));
    return fmt::format("{} {} {}", Of(type, depth), Pick(kSigns),
                       Of(type, depth));
  }
  std::string Quantified(int depth) {
    static constexpr std::array<std::string_view, 3> kMacros = {"all", "exists",
                                                                "exists_one"};
    const std::string name(Pick(kVariables));
    const char list = Pick(std::string_view("lnm"));
    const std::string range = list == 'm' ? Domain() : Of(list, depth);
    const char element = list == 'n' ? 'i' : 's';
    return fmt::format("{}.{}({}, {})", range, Pick(kMacros), name,
                       With(name, element, 'b', depth));
  }

  std::string Bool(int depth);
  std::string TextTest(int depth);
  std::string Int(int depth);
  std::string Double(int depth);
  std::string Uint(int depth);
  std::string Text(int depth);
  std::string Amount(int depth);
  std::string Version(int depth);
  std::string Texts(int depth);
  std::string Ints(int depth);

  Random& random_;
  Variables variables_;
};

std::string SelectorWriter::TextTest(int depth) {
  static constexpr std::array<std::string_view, 3> kTests = {
      "startsWith", "endsWith", "contains"};
  switch (Below(4)) {
    case 0:
      return fmt::format("{}.matches({})", Of('s', depth),
                         OneIn(6) ? Of('s', depth) : Quote(Pick(kPatterns)));
    case 1:
      return fmt::format("{} in {}", Of('s', depth), Of('l', depth));
    default:
      return fmt::format("{}.{}({})", Of('s', depth), Pick(kTests),
                         Of('s', depth));
  }
}

std::string SelectorWriter::Bool(int depth) {
  if (depth <= 0) return OneIn(3) ? "true" : Attribute('b');
  static constexpr std::array<std::string_view, 2> kOrders = {"isGreaterThan",
                                                              "isLessThan"};
  switch (Below(18)) {
    case 13:
      return fmt::format("type({}) == {}", Of(Pick(kTypes), depth),
                         OneIn(2) ? std::string(Pick(kTypeNames))
                                  : "type(" + Of(Pick(kTypes), depth) + ")");
    case 14:
      return fmt::format("{}.isSorted()",
                         Of(Pick(std::string_view("ln")), depth));
    case 15:
      return fmt::format("{}.hasValue()", Optional(Pick(kTypes), depth));
    case 16:
      return fmt::format("{} in {{{}: 1, 'H100': 2}}", Of('s', depth),
                         Of('s', depth));
    case 0:
      return "device.allowMultipleAllocations";
    case 1:
      return fmt::format("!{}", Attribute('b'));
    case 2:
    case 3:
      return fmt::format("({} && {})", Of('b', depth), Of('b', depth));
    case 4:
    case 5:
      return fmt::format("({} || {})", Of('b', depth), Of('b', depth));
    case 6:
      return Compared(depth);
    case 7:
      return TextTest(depth);
    case 8:
      return Quantified(depth);
    case 9:
      return fmt::format("{}.{}({})", Of('q', depth), Pick(kOrders),
                         Of('q', depth));
    case 10:
      return fmt::format("{}.{}({})", Of('v', depth), Pick(kOrders),
                         Of('v', depth));
    case 11:
      return OneIn(2)
                 ? fmt::format("has({}.{})", Domain(), Pick(kAttributeNames))
                 : fmt::format("{} in {}", Quote(Pick(kAttributeNames)),
                               Domain());
    case 12: {
      const char type = Pick(std::string_view("qvln"));
      return fmt::format("{} {} {}", Of(type, depth),
                         OneIn(2) ? "==" : "!=", Of(type, depth));
    }
    default:
      return fmt::format("{} in {}", Of('i', depth), Of('n', depth));
  }
}

std::string SelectorWriter::Int(int depth) {
  if (depth <= 0) {
    if (OneIn(2)) return Attribute('i');
    return OneIn(20) ? "9223372036854775807" : std::to_string(Below(20) - 4);
  }
  switch (Below(14)) {
    case 10:
      return fmt::format("{}.{}({})", Of('n', depth),
                         OneIn(2) ? "indexOf" : "lastIndexOf", Of('i', depth));
    case 11:
      return fmt::format("{}.?{}.orValue({})", Domain(), Pick(kAttributeNames),
                         Of('i', depth));
    case 0:
      return fmt::format("size({})", Of(Pick(std::string_view("sln")), depth));
    case 1:
      return fmt::format("{}.size()", Of(Pick(std::string_view("sln")), depth));
    case 2:
      return fmt::format("{}.indexOf({})", Of('s', depth), Of('s', depth));
    case 3:
      return fmt::format("{}.compareTo({})", Of('q', depth), Of('q', depth));
    case 4:
      return fmt::format("{}.{}()", Of('v', depth),
                         std::array{"major", "minor", "patch"}[Below(3)]);
    case 5:
      return fmt::format("int({})", Of(Pick(std::string_view("sudi")), depth));
    case 6:
      return fmt::format("{}.asInteger()", Of('q', depth));
    case 7:
      return fmt::format("{}.{}()", Of('n', depth),
                         std::array{"sum", "min", "max"}[Below(3)]);
    case 8:
      return fmt::format("-({})", Of('i', depth));
    case 9:
      return fmt::format("{}.{}({}, {})", Of('s', depth),
                         OneIn(2) ? "indexOf" : "lastIndexOf", Of('s', depth),
                         Of('i', depth));
    default:
      return fmt::format("({} {} {})", Of('i', depth),
                         Pick(std::string_view("+-*/%")), Of('i', depth));
  }
}

std::string SelectorWriter::Double(int depth) {
  if (depth <= 0) return fmt::format("{}.{}", Below(20), Below(10));
  switch (Below(4)) {
    case 0:
      return fmt::format("double({})",
                         Of(Pick(std::string_view("sui")), depth));
    case 1:
      return fmt::format("{}.asApproximateFloat()", Of('q', depth));
    default:
      return fmt::format("({} {} {})", Of('d', depth),
                         Pick(std::string_view("+-*/")), Of('d', depth));
  }
}

std::string SelectorWriter::Uint(int depth) {
  if (depth <= 0) return fmt::format("{}u", Below(20));
  if (OneIn(2)) {
    return fmt::format("uint({})", Of(Pick(std::string_view("sdi")), depth));
  }
  return fmt::format("({} {} {})", Of('u', depth),
                     Pick(std::string_view("+-*/%")), Of('u', depth));
}

std::string SelectorWriter::Text(int depth) {
  if (depth <= 0) return OneIn(2) ? Attribute('s') : Literal(Pick(kTexts));
  switch (Below(14)) {
    case 0:
      return "device.driver";
    case 1:
      return fmt::format("{}.lowerAscii()", Of('s', depth));
    case 2:
      return fmt::format("{}.upperAscii()", Of('s', depth));
    case 3:
      return fmt::format("{}.trim()", Of('s', depth));
    case 4:
      return fmt::format("{}.substring({})", Of('s', depth), Of('i', depth));
    case 5:
      return fmt::format("{}.substring({}, {})", Of('s', depth), Of('i', depth),
                         Of('i', depth));
    case 6:
      return fmt::format("{}.replace({}, {})", Of('s', depth), Of('s', depth),
                         Of('s', depth));
    case 7:
      return fmt::format("{}.replace({}, {}, {})", Of('s', depth),
                         Of('s', depth), Of('s', depth), Of('i', depth));
    case 8:
      return fmt::format("{}.join({})", Of('l', depth), Of('s', depth));
    case 9:
      return fmt::format("string({})",
                         Of(Pick(std::string_view("biuds")), depth));
    case 10:
      return fmt::format("{}.charAt({})", Of('s', depth), Of('i', depth));
    case 11:
      return fmt::format("{}.find({})", Of('s', depth), Quote(Pick(kPatterns)));
    case 12:
      return fmt::format("({} + {})", Of('s', depth), Of('s', depth));
    default:
      return Attribute('s');
  }
}

std::string SelectorWriter::Amount(int depth) {
  if (depth <= 0 || OneIn(3)) {
    return fmt::format("quantity({})", Literal(Pick(kAmounts)));
  }
  if (OneIn(3)) {
    return fmt::format("{}.{}({})", Of('q', depth), OneIn(2) ? "add" : "sub",
                       Of(OneIn(2) ? 'q' : 'i', depth));
  }
  return fmt::format("device.capacity[{}].{}", Quote(Pick(kDomains)),
                     Pick(kCapacityNames));
}

std::string SelectorWriter::Version(int depth) {
  if (OneIn(3)) return Attribute('v');
  if (OneIn(4)) {
    return fmt::format("semver({}, {})", Of('s', depth), Of('b', 0));
  }
  return fmt::format("semver({})", Literal(Pick(kVersions)));
}

std::string SelectorWriter::Texts(int depth) {
  if (depth <= 0) {
    return fmt::format("[{}, {}]", Literal(Pick(kTexts)),
                       OneIn(2) ? Of('s', 0) : Literal(Pick(kTexts)));
  }
  const std::string name(Pick(kVariables));
  switch (Below(5)) {
    case 0:
      return fmt::format("{}.split({})", Of('s', depth), Of('s', depth));
    case 1:
      return fmt::format("{}.filter({}, {})", Of('l', depth), name,
                         With(name, 's', 'b', depth));
    case 2:
      return fmt::format("{}.map({}, {})", Of('n', depth), name,
                         With(name, 'i', 's', depth));
    case 3:
      return fmt::format("{}.findAll({})", Of('s', depth),
                         Quote(Pick(kPatterns)));
    default:
      return fmt::format("({} + {})", Of('l', depth), Of('l', depth));
  }
}

std::string SelectorWriter::Ints(int depth) {
  if (depth <= 0) {
    return fmt::format("[{}, {}, {}]", Below(9), Below(9), Of('i', 0));
  }
  const std::string name(Pick(kVariables));
  switch (Below(4)) {
    case 0:
      return fmt::format("{}.map({}, {})", Of('l', depth), name,
                         With(name, 's', 'i', depth));
    case 1:
      return fmt::format("{}.map({}, {}, {})", Of('n', depth), name,
                         With(name, 'i', 'b', depth),
                         With(name, 'i', 'i', depth));
    case 2:
      return fmt::format("({} + {})", Of('n', depth), Of('n', depth));
    default:
      return fmt::format("[{}, {}]", Of('i', depth), Of('i', depth));
  }
}

}  // namespace

Device RandomDevice(Random& random) {
  Device device{.name = "gpu"};
  const auto pick = [&random](const auto& choices) {
    return std::string(choices[random.Below(static_cast<int>(choices.size()))]);
  };
  for (const std::string_view name : kAttributeNames) {
    if (name == "missing" || random.Below(5) == 0) continue;
    const std::string full = pick(kDomains) + "/" + std::string(name);
    const char type = random.Below(12) == 0 ? 's' : name[0];
    if (type == 'b') device.attributes[full] = random.Below(2) == 0;
    if (type == 'i') {
      device.attributes[full] = std::int64_t{random.Below(20)} - 4;
    }
    if (type == 's') device.attributes[full] = pick(kTexts);
    if (type == 'v') {
      device.attributes[full] =
          DeviceVersion{std::string(kVersions[random.Below(5)])};
    }
  }
  // As drivers write them: no "1000m", which is no integer to Kubernetes.
  constexpr auto kSizes = std::to_array<std::string_view>(
      {"0", "80Gi", "1500m", "40960Mi", "12", "2k"});
  for (const std::string_view name : {"memory", "cores"}) {
    if (random.Below(5) == 0) continue;
    device.capacity[pick(kDomains) + "/" + std::string(name)] =
        *ReadAmount(pick(kSizes));
  }
  device.shared = random.Below(2) == 0;
  return device;
}

std::string RandomSelector(Random& random) {
  return SelectorWriter(random).Of('b', 1 + random.Below(5));
}

std::string DamagedSelector(Random& random) {
  std::string text = RandomSelector(random);
  constexpr std::string_view kLetters = "()[]{}.,?:+-*/%!<>=&|'\"ax1u 0";
  for (int i = random.Below(3); i >= 0 && !text.empty(); --i) {
    const int place = random.Below(static_cast<int>(text.size()));
    // Not inside of a character of several bytes.
    if ((text[place] & 0x80) != 0) continue;
    const char letter =
        kLetters[random.Below(static_cast<int>(kLetters.size()))];
    switch (random.Below(3)) {
      case 0:
        text[place] = letter;
        break;
      case 1:
        text.insert(place, 1, letter);
        break;
      default:
        text.erase(place, 1);
    }
  }
  return text;
}

}  // namespace fluxnetes::matcher
