#include "cluster/traces/swf_parts.h"

#include <algorithm>

namespace fluxnetes::cluster {

void SwfParts::Add(const SwfLine& part, std::int64_t line) {
  const auto [at, is_new] = open_.emplace(part.number, joined_.size());
  if (is_new) {
    joined_.push_back({part, line, 1});
  } else {
    Joined& known = joined_[at->second];
    SwfLine& job = known.job;
    if (part.runs > 0)
      job.runs = std::min(std::max<std::int64_t>(job.runs, 0) + part.runs,
                          kMostSwfSeconds);
    job.allocated = std::max(job.allocated, part.allocated);
    job.asked = std::max(job.asked, part.asked);
    if (job.requested <= 0) job.requested = part.requested;
    job.rounded |= part.rounded;
    ++known.parts;
  }
  if (part.status != kSwfPartGoesOn) open_.erase(at);
}

}  // namespace fluxnetes::cluster
