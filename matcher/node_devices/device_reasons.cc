#include "matcher/node_devices/device_reasons.h"

#include <fmt/format.h>

namespace fluxnetes::matcher {
namespace {

// "none VERB_ONE", "1 VERB_ONE", "3 VERB_MANY".
std::string Counted(int count, const char* one, const char* many) {
  if (count == 0) return fmt::format("none {}", one);
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string Describe(const DeviceChoice& choice, const ChoiceCounts& counts) {
  if (!counts.class_fault.empty()) return counts.class_fault;
  if (!counts.selector_fault.empty()) return counts.selector_fault;
  if (!counts.pool_fault.empty()) return counts.pool_fault;
  if (counts.of_class == 0) {
    return fmt::format("no device of class {}", choice.device_class);
  }
  std::string text = fmt::format("{} {} of class {}", counts.of_class,
                                 counts.of_class == 1 ? "device" : "devices",
                                 choice.device_class);
  const auto add = [&text](const std::string& more) { text += ", " + more; };
  int last = counts.of_class;
  const auto add_if_fewer = [&](int count, const char* one, const char* many) {
    if (last > 0 && count < last) add(Counted(count, one, many));
    last = count;
  };
  add_if_fewer(counts.selected, "matches its selectors", "match its selectors");
  if (!counts.domain.empty()) {
    const std::string is = "is " + counts.domain;
    const std::string are = "are " + counts.domain;
    add_if_fewer(counts.within, is.c_str(), are.c_str());
  }
  add_if_fewer(counts.large_enough, "has the capacity that it asks for",
               "have the capacity that it asks for");
  add_if_fewer(counts.tolerated, "has only taints that it tolerates",
               "have only taints that it tolerates");
  if (!counts.taints.empty()) {
    text += fmt::format(" (others: {})", fmt::join(counts.taints, ", "));
  }
  add_if_fewer(counts.free, "is free", "are free");
  if (choice.all) {
    text += "; it needs all that match";
  } else if (choice.count > 1) {
    text += fmt::format("; it needs {}", choice.count);
  }
  return text;
}

}  // namespace fluxnetes::matcher
