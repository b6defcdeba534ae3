#include "workers/pods/start_labels.h"

#include <charconv>
#include <chrono>
#include <functional>
#include <system_error>
#include <utility>

#include "cluster/text/quote.h"
#include "cluster/text/timestamp.h"
#include "workers/labels/label_values.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999

std::optional<cluster::Time> ParseUnixTime(const std::string& text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || read != end || seconds < 0 ||
      seconds > kLastSecond)
    return std::nullopt;
  return cluster::Time(std::chrono::seconds(seconds));
}

// Reads the labels and annotations, up to the first one that is refused.
class StartReader {
 public:
  explicit StartReader(const cluster::Pod& pod) : pod_(pod) {}

  StartLabels Read() {
    StartTerms& terms = read_.terms;
    terms.after = ReadTime(kStartAfterLabel);
    terms.by = ReadTime(kStartByLabel);
    terms.hold =
        ReadBoth<bool>(kHoldLabel, ParseHold, ParseHold).value_or(false);
    if (terms.after && terms.by && *terms.by <= *terms.after)
      Refuse(std::string(kStartByLabel) + " is " +
             cluster::FormatTimestamp(*terms.by) + ", which is not after " +
             kStartAfterLabel + ", " + cluster::FormatTimestamp(*terms.after) +
             ": the group could never start");
    return read_;
  }

 private:
  template <typename Value>
  using Parser =
      std::function<std::optional<Value>(const std::string&, std::string&)>;

  void Refuse(std::string why) {
    if (read_.refused.empty()) read_.refused = std::move(why);
  }

  // A parser sets the text about correct values.
  template <typename Value>
  std::optional<Value> ReadOne(const std::string& place, const auto& values,
                               const char* name, const Parser<Value>& parse) {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    std::string right;
    const std::optional<Value> value = parse(found->second, right);
    if (!value)
      Refuse(place + " " + name + " is " + cluster::Quote(found->second) +
             "; it must be " + right);
    return value;
  }

  template <typename Value>
  std::optional<Value> ReadBoth(const char* name,
                                const Parser<Value>& parse_label,
                                const Parser<Value>& parse_annotation) {
    const auto label = ReadOne("label", pod_.labels, name, parse_label);
    const auto annotation =
        ReadOne("annotation", pod_.annotations, name, parse_annotation);
    if (label && annotation && *label != *annotation)
      Refuse("label and annotation " + std::string(name) + " are " +
             cluster::Quote(pod_.labels.at(name)) + " and " +
             cluster::Quote(pod_.annotations.at(name)) +
             ": they must say the same");
    return label ? label : annotation;
  }

  std::optional<cluster::Time> ReadTime(const char* name) {
    return ReadBoth<cluster::Time>(
        name,
        [](const std::string& text, std::string& right) {
          right =
              "a time in seconds since 1970 (`date -d TIME +%s`); an "
              "annotation of the same name may be written like "
              "2026-01-31T12:00:00Z";
          return ParseUnixTime(text);
        },
        [](const std::string& text, std::string& right) {
          right = "a time like 2026-01-31T12:00:00Z, or in seconds since 1970";
          const auto time = cluster::ParseTimestamp(text);
          return time ? time : ParseUnixTime(text);
        });
  }

  static std::optional<bool> ParseHold(const std::string& text,
                                       std::string& right) {
    right = "\"true\" or \"false\"";
    if (text != "true" && text != "false") return std::nullopt;
    return text == "true";
  }

  const cluster::Pod& pod_;
  StartLabels read_;
};

}  // namespace

StartLabels ReadStartLabels(const cluster::Pod& pod) {
  StartLabels read = StartReader(pod).Read();
  if (!read.refused.empty()) read.terms = {};
  return read;
}

}  // namespace fluxnetes::workers
