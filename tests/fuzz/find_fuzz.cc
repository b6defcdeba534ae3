// Any bytes either are a find expression or are refused; a find expression can
// be evaluated.
#include <cstdint>
#include <string_view>

#include "matcher/fluxion/find_expression.h"
#include "matcher/readers/rv1exec.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Matcher kMatcher(
      ReadRv1exec(R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1",
          "children": {"core": "0-1"}}], "nodelist": ["node[0-1]"]}})"),
      {.policy = *ParsePolicy("low")});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto expression = FindExpression::Parse(text)) {
    expression->Find(kMatcher, 0);
  }
  return 0;
}
