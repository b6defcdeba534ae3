#include "cluster/files/swf_trace.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <istream>
#include <limits>
#include <ostream>
#include <string_view>

#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kFields = 18;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::int64_t kMostSeconds = std::int64_t{1} << 40;
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostWhatever = std::numeric_limits<std::int64_t>::max();

// Each field is -1 if unknown.
struct SwfField {
  const char* name;
  std::int64_t most = kMostWhatever;
  bool fraction = false;  // "12.5" is allowed, and read as 12
};
enum : int {
  kNumber,
  kSubmit,
  kRunTime = 3,
  kProcessors,
  kAskedProcessors = 7,
  kAskedTime,
  kStatus = 10,
  kUser,
  kQueue = 14,
};
constexpr std::array<SwfField, kFields> kSwfFields = {{
    {"job number"},
    {"submit time", kMostSeconds},
    {"wait time", kMostSeconds},
    {"run time", kMostSeconds},
    {"number of allocated processors", kMost32},
    {"average CPU time used", kMostWhatever, true},
    {"used memory", kMostWhatever, true},
    {"requested number of processors", kMost32},
    {"requested time", kMostSeconds},
    {"requested memory", kMostWhatever, true},
    {"status", 5},
    {"user ID", kMost32},
    {"group ID", kMost32},
    {"executable number"},
    {"queue number", kMost32},
    {"partition number"},
    {"preceding job number"},
    {"think time", kMostWhatever, true},
}};

enum Status : std::int64_t { kPartGoesOn = 2, kPartFailed = 4, kCancelled = 5 };

using Values = std::array<std::int64_t, kFields>;

class SwfReader {
 public:
  SwfReader(const std::string& source, const SwfLimits& limits)
      : source_(source), limits_(limits) {}

  SwfTrace Read(std::istream& in) {
    while (NextLine(in)) {
      const std::size_t first = line_.find_first_not_of(kBlanks);
      if (first == std::string::npos) continue;
      if (line_[first] == ';') {
        TakeRemark(std::string_view(line_).substr(first + 1));
      } else {
        TakeJob(ReadValues());
      }
    }
    if (count_ == 0)
      throw InputError(source_ +
                       ": holds no job; a trace has a line of 18 numbers for "
                       "each");
    return std::move(trace_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", source_, number_, why));
  }
  [[noreturn]] void Refuse(int field, const std::string& why) const {
    Refuse(fmt::format("field {} ({}) {}", field + 1,
                       kSwfFields[static_cast<std::size_t>(field)].name, why));
  }

  bool NextLine(std::istream& in) {
    line_.clear();
    ++number_;
    char part[4'096];
    while (true) {
      in.getline(part, sizeof(part));
      const bool whole = !in.eof() && !in.fail();  // consumed the line end
      line_.append(part, static_cast<std::size_t>(in.gcount()) - whole);
      if (line_.size() > limits_.line)
        Refuse(fmt::format("is longer than {} bytes", limits_.line));
      if (in.eof()) return !line_.empty();
      if (in.bad()) throw InputError(source_ + ": cannot be read to its end");
      if (whole) return true;
      in.clear();  // the line is longer than `part`
    }
  }

  // Takes "MaxNodes: 128 (some of them slow)"; ignores other comments.
  void TakeRemark(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    for (const auto& [key, value] :
         {std::pair(std::string_view("MaxNodes:"), &trace_.max_nodes),
          std::pair(std::string_view("MaxProcs:"), &trace_.max_processors)}) {
      if (!text.starts_with(key)) continue;
      text.remove_prefix(key.size());
      text.remove_prefix(
          std::min(text.find_first_not_of(kBlanks), text.size()));
      std::int64_t number = 0;
      const auto read =
          std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ec != std::errc() || number < -1 || number > kMost32)
        Refuse(fmt::format("{} {} is no whole number up to {}", key,
                           Quote(text), kMost32));
      if (number > 0) *value = number;
      return;
    }
  }

  Values ReadValues() const {
    Values values{};
    std::string_view left = line_;
    for (int field = 0; field < kFields; ++field) {
      left.remove_prefix(
          std::min(left.find_first_not_of(kBlanks), left.size()));
      const std::string_view word = left.substr(0, left.find_first_of(kBlanks));
      if (word.empty())
        Refuse(
            fmt::format("has {} of 18 fields; what is not known is -1", field));
      values[static_cast<std::size_t>(field)] = ReadValue(field, word);
      left.remove_prefix(word.size());
    }
    if (left.find_first_not_of(kBlanks) != std::string_view::npos)
      Refuse("has more than 18 fields");
    return values;
  }

  std::int64_t ReadValue(int field, std::string_view word) const {
    const SwfField& rule = kSwfFields[static_cast<std::size_t>(field)];
    std::int64_t value = 0;
    const char* const last = word.data() + word.size();
    auto [end, error] = std::from_chars(word.data(), last, value);
    if (error == std::errc() && rule.fraction && end != last && *end == '.') {
      while (++end != last && *end >= '0' && *end <= '9') continue;
    }
    if (error != std::errc() || end != last)
      Refuse(field,
             fmt::format("is {}; right would be a whole number{}, or -1",
                         Quote(word), rule.fraction ? " or one like 1.5" : ""));
    if (value < -1 || value > rule.most)
      Refuse(field,
             fmt::format("is {}; right would be -1 to {}", value, rule.most));
    return value;
  }

  void TakeJob(const Values& values) {
    if (++count_ > limits_.jobs)
      Refuse(fmt::format("is one of more than {} jobs", limits_.jobs));
    if (values[kSubmit] < 0)
      Refuse(kSubmit,
             "is not known; right would be seconds since the trace "
             "began");
    const std::int64_t processors = values[kProcessors] > 0
                                        ? values[kProcessors]
                                        : values[kAskedProcessors];
    const std::int64_t status = values[kStatus];
    if (status >= kPartGoesOn && status <= kPartFailed) {
      ++trace_.parts;
    } else if (status == kCancelled && values[kRunTime] <= 0) {
      ++trace_.cancelled;
    } else if (values[kRunTime] < 0) {
      ++trace_.no_run_time;
    } else if (processors <= 0) {
      ++trace_.no_processors;
    } else {
      SwfJob& job = trace_.jobs.emplace_back();
      job.number = values[kNumber];
      job.submit = values[kSubmit];
      job.runs = std::max<std::int64_t>(values[kRunTime], 1);
      if (values[kAskedTime] > 0) job.requested = values[kAskedTime];
      job.processors = static_cast<std::int32_t>(processors);
      job.user = static_cast<std::int32_t>(values[kUser]);
      job.queue = static_cast<std::int32_t>(values[kQueue]);
    }
  }

  const std::string& source_;
  const SwfLimits& limits_;
  std::string line_;
  std::int64_t number_ = 0;  // line number
  std::size_t count_ = 0;    // number of jobs
  SwfTrace trace_;
};

}  // namespace

SwfTrace ReadSwf(std::istream& in, const std::string& source,
                 const SwfLimits& limits) {
  return SwfReader(source, limits).Read(in);
}

void WriteSwf(const SwfTrace& trace, std::ostream& out) {
  if (trace.max_nodes) out << "; MaxNodes: " << *trace.max_nodes << '\n';
  if (trace.max_processors)
    out << "; MaxProcs: " << *trace.max_processors << '\n';
  std::string text;
  for (const SwfJob& job : trace.jobs) {
    text.clear();
    fmt::format_to(std::back_inserter(text),
                   "{} {} -1 {} {} -1 -1 {} {} -1 1 {} -1 -1 {} -1 -1 -1\n",
                   job.number, job.submit, job.runs, job.processors,
                   job.processors, job.requested.value_or(-1), job.user,
                   job.queue);
    out << text;
  }
}

}  // namespace fluxnetes::cluster
