#include "matcher/resource_query/recent_jobspecs.h"

#include <utility>

namespace fluxnetes::matcher {

const Jobspec& RecentJobspecs::Read(const std::string& text) {
  const auto known = by_text_.find(text);
  if (known != by_text_.end()) return known->second;
  Jobspec jobspec = ParseJobspec(text);
  if (text.size() > kLongest) return long_one_ = std::move(jobspec);
  if (by_text_.size() == kMost) by_text_.clear();
  return by_text_.emplace(text, std::move(jobspec)).first->second;
}

}  // namespace fluxnetes::matcher
