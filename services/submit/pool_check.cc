#include "services/submit/pool_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <ostream>
#include <set>
#include <variant>

#include "services/console/display_text.h"
#include "services/records/records_queries.h"
#include "services/submit/submission.h"
#include "sql/connection/transaction.h"
#include "workers/pools/pool_labels.h"

namespace fluxnetes::services {
namespace {

// What the pods of the manifest ask of pools.
cluster::PoolAmounts PoolsIn(const cluster::Manifest& manifest,
                             const cluster::SchedulerNames& schedulers) {
  const cluster::Pod* pod = nullptr;
  if (const auto* alone = std::get_if<cluster::PodTemplate>(&manifest.object))
    pod = &alone->pod;
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    pod = &job->pod_template.pod;
  if (pod == nullptr || !schedulers.Contain(pod->scheduler_name)) return {};
  return workers::ReadPoolLabels(*pod).pools;
}

std::set<std::string> PoolNames(std::span<const cluster::Manifest> manifests,
                                const cluster::SchedulerNames& schedulers) {
  std::set<std::string> names;
  for (const cluster::Manifest& manifest : manifests)
    for (const auto& [name, amount] : PoolsIn(manifest, schedulers))
      names.insert(name);
  return names;
}

}  // namespace

std::vector<std::string> PoolWarnings(
    std::span<const cluster::Manifest> manifests,
    const cluster::SchedulerNames& schedulers,
    const std::function<sql::Pool&()>& database) {
  std::vector<std::string> warnings(manifests.size());
  const std::set<std::string> names = PoolNames(manifests, schedulers);
  if (names.empty()) return warnings;
  sql::Transaction transaction(database(), sql::Isolation::kReadOnly);
  std::map<std::string, std::int64_t> totals;
  for (const sql::Row row :
       transaction.Run(queries::kFindPools,
                       std::vector<std::string>(names.begin(), names.end())))
    totals[row.Get<std::string>("name")] = row.Get<std::int64_t>("total");
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    for (const auto& [name, amount] : PoolsIn(manifests[i], schedulers)) {
      const auto total = totals.find(name);
      std::string& warning = warnings[i];
      if (total == totals.end()) {
        warning += fmt::format(
            "{}asks for the pool {}, which does not exist; it waits until "
            "there is one (`fluxnetes pool set {} --total N`)",
            warning.empty() ? "" : "; ", name, name);
      } else if (total->second < amount) {
        warning += fmt::format(
            "{}asks for {} of the pool {}, which has {} in all; it waits until "
            "the pool is larger",
            warning.empty() ? "" : "; ", amount, name, total->second);
      }
    }
  }
  return warnings;
}

void WarnOfPools(std::span<const cluster::Manifest> manifests,
                 const cluster::SchedulerNames& schedulers,
                 const std::function<sql::Pool&()>& database,
                 Console& console) {
  try {
    const auto warnings = PoolWarnings(manifests, schedulers, database);
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      if (warnings[i].empty()) continue;
      console.err << "Warning: "
                  << Printable(Called(manifests[i]) + " " + warnings[i])
                  << '\n';
    }
  } catch (const std::exception& error) {
    console.err << Printable(fmt::format(
                       "Note: it was not checked whether there are the pools "
                       "{}: {}",
                       fmt::join(PoolNames(manifests, schedulers), ", "),
                       error.what()))
                << '\n';
  }
}

}  // namespace fluxnetes::services
