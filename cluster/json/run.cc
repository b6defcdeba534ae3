#include "cluster/json/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr std::string_view kSeparators = " \t\n;&|()";
constexpr double kLongestSeconds = 1e9;  // thirty years

double SecondsPer(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3600;
  return unit == "d" ? 86'400 : -1;
}

std::vector<std::string> Words(std::string_view script) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = script.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) return words;
    script.remove_prefix(begin);
    const auto end = std::min(script.find_first_of(kSeparators), script.size());
    words.emplace_back(script.substr(0, end));
    script.remove_prefix(end);
  }
}

milliseconds Plus(milliseconds a, milliseconds b) {
  return a == kEndless || b == kEndless ? kEndless : a + b;
}

// Returns the sum of all sleeps; nothing if there is none.
std::optional<milliseconds> SleepsOf(const Json& container) {
  std::vector<std::string> words;
  for (const char* const part : {"command", "args"}) {
    for (const Json& word : List(At(container, part))) {
      if (!word.is_string()) continue;
      std::ranges::move(Words(word.get_ref<const std::string&>()),
                        std::back_inserter(words));
    }
  }
  std::optional<milliseconds> sum;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "sleep" && !words[i].ends_with("/sleep")) continue;
    if (const auto sleep = ParseSleep(words[i + 1])) {
      sum = Plus(sum.value_or(milliseconds(0)), *sleep);
    }
  }
  return sum;
}

std::optional<milliseconds> LongestOf(const Json& spec) {
  std::optional<milliseconds> longest;
  for (const Json& container : List(At(spec, "containers"))) {
    longest = std::max(longest, SleepsOf(container));
  }
  return longest;
}

int Integer(const Json& annotations, const char* key) {
  const std::string text = Text(annotations, key);
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && value > 0 ? value : 0;
}

}  // namespace

std::optional<milliseconds> ParseSleep(std::string_view text) {
  if (text == "infinity" || text == "inf" || text == "forever") return kEndless;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  const double scale =
      SecondsPer(text.substr(static_cast<std::size_t>(stop - text.data())));
  if (scale < 0) return std::nullopt;
  if (number * scale > kLongestSeconds) return kEndless;
  return milliseconds(std::llround(number * scale * 1000));
}

PodRun DecodeRun(const Json& object, RestartPolicy restart) {
  const Json& annotations = At(At(object, "metadata"), "annotations");
  PodRun run;
  run.exit_code = Integer(annotations, kExitCodeAnnotation);
  const auto& containers = List(At(At(object, "spec"), "containers"));
  if (!containers.empty()) run.container = Text(containers[0], "name");
  run.fail_first = Integer(annotations, kFailFirstAnnotation);
  auto length = ParseSleep(Text(annotations, kRunSecondsAnnotation));
  if (!length && restart != RestartPolicy::kAlways) {
    length = LongestOf(At(object, "spec")).value_or(*PodRun().length);
  }
  if (!length || *length == kEndless) {
    run.length.reset();
  } else {
    run.length = *length;
  }
  return run;
}

}  // namespace fluxnetes::cluster
