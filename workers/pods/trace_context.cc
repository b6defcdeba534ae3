#include "workers/pods/trace_context.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

constexpr std::string_view kShape =
    "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";

bool IsHex(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
}

bool HasShape(std::string_view text) {
  return text.size() == kShape.size() &&
         std::equal(text.begin(), text.end(), kShape.begin(),
                    [](char letter, char wanted) {
                      return wanted == 'x' ? IsHex(letter) : letter == wanted;
                    });
}

bool OnlyZeros(std::string_view id) {
  return id.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string_view TraceIdOf(std::string_view traceparent) {
  return traceparent.substr(3, 32);
}

std::string_view ParentIdOf(std::string_view traceparent) {
  return traceparent.substr(36, 16);
}

bool IsSampled(std::string_view traceparent) {
  // The lowest bit of the flags.
  return std::string_view("13579bdf").find(traceparent.back()) !=
         std::string_view::npos;
}

std::optional<std::string> TraceparentOf(const cluster::Pod& pod) {
  const auto found = pod.annotations.find(kTraceparentAnnotation);
  if (found == pod.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  if (!HasShape(text) || OnlyZeros(TraceIdOf(text)) ||
      OnlyZeros(ParentIdOf(text)))
    return std::nullopt;
  return text;
}

}  // namespace fluxnetes::workers
