#include "tests/benchmarks/queue/life_cycle.h"

#include <stdexcept>

#include "tests/benchmarks/queue/rows.h"

namespace fluxnetes::benchmark {

using Clock = std::chrono::steady_clock;

Rates RunLives(JobLoop& loop, int batch, std::chrono::milliseconds duration) {
  double insert = 0;
  double lease = 0;
  double finish = 0;
  double jobs = 0;
  const auto end = Clock::now() + duration;
  for (auto at = Clock::now(); at < end; at = Clock::now()) {
    loop.Insert(batch);
    const auto inserted = Clock::now();
    const std::vector<Leased> leased = loop.Lease(batch);
    const auto had = Clock::now();
    loop.Finish(leased);
    finish += SecondsSince(had);
    lease += std::chrono::duration<double>(had - inserted).count();
    insert += std::chrono::duration<double>(inserted - at).count();
    jobs += static_cast<double>(leased.size());
    if (leased.size() != static_cast<std::size_t>(batch))
      throw std::logic_error("a sole client must get what it inserted");
  }
  return {jobs / insert, jobs / lease, jobs / finish,
          jobs / (insert + lease + finish)};
}

std::vector<double> Column(const std::vector<Rates>& runs,
                           double Rates::*rate) {
  std::vector<double> column;
  for (const Rates& run : runs) column.push_back(run.*rate);
  return column;
}

}  // namespace fluxnetes::benchmark
