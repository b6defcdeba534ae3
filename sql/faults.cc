#include "sql/faults.h"

#ifdef FLUXNETES_FAULTS

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace fluxnetes::sql {
namespace {

struct Armed {
  std::string name;
  std::atomic<long> remaining{1};
  bool pause = false;
};

// Parses NAME, NAME:n or NAME:n:pause.
void Arm(Armed& armed, const std::string& text) {
  const auto name_end = text.find(':');
  armed.name = text.substr(0, name_end);
  if (name_end == text.npos) return;
  const auto count_end = text.find(':', name_end + 1);
  const std::string count = text.substr(name_end + 1, count_end - name_end - 1);
  armed.remaining = std::strtol(count.c_str(), nullptr, 10);
  armed.pause = count_end != text.npos && text.substr(count_end + 1) == "pause";
  if (armed.remaining < 1 || (count_end != text.npos && !armed.pause))
    throw std::invalid_argument("FLUXNETES_FAILPOINT is '" + text +
                                "', expected NAME, NAME:n or NAME:n:pause");
}

Armed& FromEnvironment() {
  static Armed armed;
  static const bool read = [] {
    if (const char* text = std::getenv("FLUXNETES_FAILPOINT")) Arm(armed, text);
    return true;
  }();
  static_cast<void>(read);
  return armed;
}

std::string& Planted() {
  static std::string name;
  return name;
}

}  // namespace

void Failpoint(std::string_view name) {
  Armed& armed = FromEnvironment();
  if (armed.name != name || --armed.remaining != 0) return;
  // Sent to this thread, which therefore executes nothing more: another thread
  // might take a signal to the process first.
  raise(armed.pause ? SIGSTOP : SIGKILL);
}

bool BugPlanted(std::string_view name) {
  return !name.empty() && Planted() == name;
}

void PlantBug(std::string_view name) { Planted() = name; }

}  // namespace fluxnetes::sql

#endif  // FLUXNETES_FAULTS
