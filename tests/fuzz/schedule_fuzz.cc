// Any text either is a schedule with increasing ticks, or is refused.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "queue/maintenance/periodic_schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using fluxnetes::queue::PeriodicSchedule;
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.ends_with('\n')) text.pop_back();  // as corpus files end
  try {
    const PeriodicSchedule schedule(text);
    fluxnetes::sql::Timestamp time = std::chrono::sys_days{
        std::chrono::year{2026} / std::chrono::November / 21};
    for (int tick = 0; tick < 3; ++tick) {
      const fluxnetes::sql::Timestamp next = schedule.Next(time);
      // It is the first tick after `time`.
      if (next <= time ||
          schedule.Next(next - std::chrono::microseconds(1)) != next) {
        std::abort();
      }
      time = next;
    }
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 0;
}
