// What jobs hold: amounts on nodes over [start, end). A span is a run of equal
// tasks of a job on one node. Spans lie in one array, and those of a node are
// linked, so adding and removing a span allocates nothing. Two timelines give
// all ends, and all starts that are ahead, in order of time.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_time_test.cc,
// tests/matcher/gangs/gang_random_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

using SpanId = std::int32_t;

struct Span {
  JobId job = 0;
  Time start = 0;
  Time end = 0;
  NodeIndex node = -1;
  std::int32_t tasks = 0;  // 0: the entry is unused
  bool ahead = false;      // its start is in the future
  bool aside = false;      // it takes no seat (Gang::aside)
  JobId holder = 0;        // of a whole node; 0: it shares its node
  RulesId rules = kNoRules;
  std::uint32_t generation = 0;
  SpanId next = -1;  // next span on the same node
  SpanId previous = -1;
  SpanId next_alike = -1;  // next span of the same rules, if it has any
  SpanId previous_alike = -1;
};

// Starts or ends of spans in order of time. New moments wait in a list of their
// own. They are merged in, and moments of removed spans are dropped, when there
// are many, or when the whole order is asked for.
class SpanTimeline {
 public:
  struct Moment {
    Time time = 0;
    SpanId span = -1;
    NodeIndex node = -1;
    std::uint32_t generation = 0;
  };

  // Reads two lists as one, until a moment is added.
  class Reader {
   public:
    Reader() = default;
    Reader(std::span<const Moment> older, std::span<const Moment> newer)
        : older_(older), newer_(newer) {}

    // Returns the time of the next moment; kForever: there is none.
    Time time() const {
      return std::min(older_.empty() ? kForever : older_.front().time,
                      newer_.empty() ? kForever : newer_.front().time);
    }
    void SkipBefore(Time time) {
      for (std::span<const Moment>* each : {&older_, &newer_}) {
        const auto first = std::partition_point(
            each->begin(), each->end(),
            [time](const Moment& moment) { return moment.time < time; });
        *each = {first, each->end()};
      }
    }
    // There must be a next moment.
    const Moment& Next() {
      const bool from_newer =
          older_.empty() ||
          (!newer_.empty() && newer_.front().time < older_.front().time);
      std::span<const Moment>& from = from_newer ? newer_ : older_;
      const Moment& next = from.front();
      from = from.subspan(1);
      return next;
    }

   private:
    std::span<const Moment> older_;
    std::span<const Moment> newer_;
  };

  void Add(const Moment& moment) { added_.push_back(moment); }
  // Notes that the span of a moment was removed.
  void Lose() { ++lost_; }
  bool Crowded() const { return added_.size() > sorted_.size() + 1'024; }
  const std::vector<Moment>& Sorted(std::span<const Span> spans,
                                    bool only_ahead);
  static bool IsGone(std::span<const Span> spans, const Moment& moment,
                     bool only_ahead) {
    const Span& span = spans[moment.span];
    return span.tasks == 0 || span.generation != moment.generation ||
           (only_ahead && !span.ahead);
  }
  // Returns the moments at less cost than Sorted(), but moments of removed
  // spans may be among them.
  Reader Read(std::span<const Span> spans, bool only_ahead);

 private:
  std::vector<Moment> sorted_;
  std::vector<Moment> added_;
  std::vector<Moment> merged_;
  std::size_t in_order_ = 0;  // sorted part of added_
  std::size_t lost_ = 0;
};

class SpanStore {
 public:
  void SetResources(int resources);
  void AddNode() { first_.push_back(-1); }

  // `amounts` are those of one task; missing ones are 0.
  SpanId Add(const Span& span, std::span<const std::int64_t> amounts);
  // Takes `tasks` off the span; with its last task the span is removed.
  void Take(SpanId id, int tasks);
  void SetAhead(SpanId id, bool ahead);
  void SetAmount(SpanId id, int resource, std::int64_t amount) {
    amounts_[static_cast<std::size_t>(id) * resources_ + resource] = amount;
  }

  const Span& operator[](SpanId id) const { return spans_[id]; }
  std::span<const std::int64_t> Amounts(SpanId id) const {
    return {amounts_.data() + static_cast<std::size_t>(id) * resources_,
            static_cast<std::size_t>(resources_)};
  }
  SpanId First(NodeIndex node) const { return first_[node]; }
  SpanId FirstOf(RulesId rules) const {
    return static_cast<std::size_t>(rules) < alike_.size() ? alike_[rules] : -1;
  }
  SpanId size() const { return static_cast<SpanId>(spans_.size()); }

  const std::vector<SpanTimeline::Moment>& Ends();
  const std::vector<SpanTimeline::Moment>& Starts();  // ahead only
  // The same at less cost, with moments of removed spans among them: see
  // IsGone().
  SpanTimeline::Reader ReadEnds() { return ends_.Read(spans_, false); }
  SpanTimeline::Reader ReadStarts() { return starts_.Read(spans_, true); }
  bool IsGone(const SpanTimeline::Moment& moment, bool only_ahead) const {
    return SpanTimeline::IsGone(spans_, moment, only_ahead);
  }
  // No start that is ahead is before this time.
  Time next_start() const { return next_start_; }
  void FindNextStart();

 private:
  void LinkAlike(SpanId id);
  void UnlinkAlike(const Span& span);

  int resources_ = 0;
  std::vector<Span> spans_;
  std::vector<std::int64_t> amounts_;  // [span * resources + resource]
  std::vector<SpanId> unused_;
  std::vector<SpanId> first_;  // [node]
  std::vector<SpanId> alike_;  // [rules]
  SpanTimeline ends_;
  SpanTimeline starts_;
  Time next_start_ = kForever;
};

}  // namespace fluxnetes::matcher
