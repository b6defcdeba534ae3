// The values of spec.schedulerName that select Fluxnetes. There may be several,
// since some operators write a fixed name into the pods that they make.
// Tests: tests/cluster/scheduler_names_test.cc.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/quote.h"

namespace fluxnetes::cluster {

class SchedulerNames {
 public:
  SchedulerNames() : names_{"fluxnetes"} {}
  // Needs one name at least.
  explicit SchedulerNames(std::vector<std::string> names)
      : names_(std::move(names)) {}

  bool Contain(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end();
  }
  const std::vector<std::string>& all() const { return names_; }

  // For messages: "fluxnetes" or "scheduler-plugins-scheduler", in quotes.
  std::string Quoted() const {
    std::string text;
    for (const std::string& name : names_)
      text += (text.empty() ? "" : " or ") + Quote(name);
    return text;
  }

  bool operator==(const SchedulerNames&) const = default;

 private:
  std::vector<std::string> names_;
};

}  // namespace fluxnetes::cluster
