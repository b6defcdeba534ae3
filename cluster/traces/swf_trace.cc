#include "cluster/traces/swf_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cluster/traces/swf_header.h"
#include "cluster/traces/swf_line.h"
#include "cluster/traces/swf_parts.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class SwfReader {
 public:
  SwfReader(const std::string& source, const SwfLimits& limits)
      : source_(source), limits_(limits) {}

  SwfTrace Read(std::istream& in) {
    while (NextLine(in)) {
      std::string_view text = line_;
      if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
      if (number_ == 1) RefuseOtherForms(text);
      const std::size_t first = text.find_first_not_of(kBlanks);
      if (first == std::string_view::npos) continue;
      if (text[first] == ';') {
        TakeComment(text.substr(first + 1));
      } else {
        TakeLine(ReadSwfLine(text, source_, number_));
      }
    }
    if (count_ == 0)
      throw InputError(source_ +
                       ": holds no job; a trace has a line of 18 numbers for "
                       "each");
    JoinParts();
    CountSameNumbers();
    TakeHeaders();
    return std::move(trace_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", source_, number_, why));
  }

  void RefuseOtherForms(std::string_view text) const {
    if (text.starts_with("\x1F\x8B") || text.starts_with("\x1F\x9D"))
      Refuse("is compressed; right would be the text that zcat prints");
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
      Refuse("is UTF-16; right would be UTF-8 or ASCII");
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

  void TakeComment(std::string_view comment) {
    const std::size_t colon = comment.find(':');
    if (colon == std::string_view::npos) return;
    const std::string place = fmt::format("{}:{}", source_, number_);
    if (!nodes_.Take(comment, place)) processors_.Take(comment, place);
  }

  void TakeHeaders() {
    trace_.max_nodes = nodes_.value();
    trace_.max_processors = processors_.value();
    for (const SwfHeader* header : {&nodes_, &processors_}) {
      if (header->fault().empty()) continue;
      (header->unclear() ? trace_.unclear_headers : trace_.faulty_headers)
          .push_back(header->fault());
    }
  }

  void TakeLine(const SwfLine& line) {
    if (++count_ > limits_.jobs)
      Refuse(fmt::format("is one of more than {} jobs", limits_.jobs));
    if (line.status < kSwfPartGoesOn || line.status > kSwfPartFailed) {
      whole_ = line.number;
      TakeJob(line, number_);
    } else if (whole_ == line.number) {
      trace_.parts.Add(number_);
    } else {
      parts_.Add(line, number_);
    }
  }

  // Returns false if the job is left out.
  bool TakeJob(const SwfLine& line, std::int64_t place) {
    const std::int64_t processors =
        line.allocated > 0 ? line.allocated : line.asked;
    SwfCount* const why = line.status == kSwfCancelled && line.runs <= 0
                              ? &trace_.cancelled
                          : line.submit < 0 ? &trace_.no_submit_time
                          : line.runs < 0   ? &trace_.no_run_time
                          : processors <= 0 ? &trace_.no_processors
                                            : nullptr;
    if (why != nullptr) {
      why->Add(place);
      return false;
    }
    NotePeculiarities(line, place);
    SwfJob& job = trace_.jobs.emplace_back();
    job.number = line.number;
    job.submit = line.submit;
    job.runs = std::max<std::int64_t>(line.runs, 1);
    if (line.requested > 0) job.requested = line.requested;
    job.processors = static_cast<std::int32_t>(processors);
    job.user = static_cast<std::int32_t>(line.user);
    job.queue = static_cast<std::int32_t>(line.queue);
    job.line = place;
    return true;
  }

  void NotePeculiarities(const SwfLine& line, std::int64_t place) {
    if (line.rounded) trace_.rounded.Add(place);
    if (line.runs == 0) trace_.short_runs.Add(place);
    if (line.preceding > 0) trace_.dependent.Add(place);
    if (partition_ < 0) partition_ = line.partition;
    if (line.partition >= 0 && line.partition != partition_)
      trace_.elsewhere.Add(place);
    if (line.submit < submit_) trace_.disordered.Add(place);
    submit_ = line.submit;
  }

  void JoinParts() {
    if (parts_.joined().empty()) return;
    std::unordered_set<std::int64_t> whole;
    for (const SwfJob& job : trace_.jobs) whole.insert(job.number);
    submit_ = 0;  // these are not below one another
    for (const SwfParts::Joined& joined : parts_.joined()) {
      if (whole.contains(joined.job.number)) {
        for (std::int64_t i = 0; i < joined.parts; ++i)
          trace_.parts.Add(joined.line);
      } else if (TakeJob(joined.job, joined.line)) {
        trace_.joined.Add(joined.line);
      }
    }
    std::ranges::stable_sort(trace_.jobs, {}, &SwfJob::line);
  }

  void CountSameNumbers() {
    if (std::ranges::is_sorted(trace_.jobs, std::ranges::less_equal(),
                               &SwfJob::number))
      return;
    std::unordered_set<std::int64_t> known;
    known.reserve(trace_.jobs.size());
    for (const SwfJob& job : trace_.jobs)
      if (!known.insert(job.number).second) trace_.same_number.Add(job.line);
  }

  const std::string& source_;
  const SwfLimits& limits_;
  std::string line_;
  std::int64_t number_ = 0;            // line number
  std::size_t count_ = 0;              // number of jobs
  std::optional<std::int64_t> whole_;  // the number of the whole job above
  std::int64_t partition_ = -1;
  std::int64_t submit_ = 0;  // of the job above
  SwfHeader nodes_{"MaxNodes"};
  SwfHeader processors_{"MaxProcs"};
  SwfParts parts_;
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
