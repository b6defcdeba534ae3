// The work queue: jobs per second and latencies, each compared with the same
// statements in a bare libpq loop on the same server. Prints a JSON object per
// row.
//
//   queue_benchmark [--brief] [SECTION...]
//
// With sections, runs only those.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/benchmarks/queue/sections.h"

namespace {

using fluxnetes::benchmark::Settings;

constexpr std::pair<const char*, void (*)(const Settings&)> kSections[] = {
    {"memory", fluxnetes::benchmark::MeasureMemory},
    {"steps", fluxnetes::benchmark::MeasureSteps},
    {"clients", fluxnetes::benchmark::MeasureClients},
    {"beside", fluxnetes::benchmark::MeasureBeside},
    {"latency", fluxnetes::benchmark::MeasureLatency},
    {"river", fluxnetes::benchmark::MeasureRiver},
    {"held", fluxnetes::benchmark::MeasureHeldTransaction}};

bool IsSection(const std::string& name) {
  return std::ranges::any_of(
      kSections, [&](const auto& section) { return name == section.first; });
}

int Usage() {
  std::cerr << "queue_benchmark [--brief] [SECTION...]; sections:";
  for (const auto& [name, run] : kSections) std::cerr << ' ' << name;
  std::cerr << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  if (const char* river = std::getenv("FLUXNETES_RIVER_PEER"))
    settings.river = river;
  std::vector<std::string> wanted(argv + 1, argv + argc);
  settings.brief = std::erase(wanted, "--brief") > 0;
  if (!std::ranges::all_of(wanted, IsSection)) return Usage();
  for (const auto& [name, run] : kSections)
    if (wanted.empty() || std::ranges::count(wanted, name) > 0) run(settings);
} catch (const std::exception& error) {
  std::cerr << "queue_benchmark: " << error.what() << '\n';
  return 1;
}
