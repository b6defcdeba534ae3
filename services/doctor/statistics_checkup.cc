#include "services/doctor/statistics_checkup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "services/console/time_text.h"
#include "services/doctor/doctor_queries.h"

namespace fluxnetes::services {
namespace {

using Status = Finding::Status;

constexpr auto kCheck = "statistics";
constexpr std::size_t kNamed = 3;  // of the old tables

std::string Describe(const sql::Row& row) {
  const auto age = row.Find<double>("age");
  const auto name = row.Get<std::string>("name");
  const auto live = row.Get<std::int64_t>("live");
  if (!age) return fmt::format("{} ({} rows, never analysed)", name, live);
  return fmt::format(
      "{} ({} rows, {} changed since ANALYZE {} ago)", name, live,
      row.Get<std::int64_t>("changed"),
      ShortDuration(std::chrono::seconds(std::llround(std::max(0.0, *age)))));
}

std::optional<Finding> OldStatistics(const sql::Result& old) {
  if (old.empty()) return std::nullopt;
  std::vector<std::string> named;
  for (const sql::Row row : old)
    if (named.size() < kNamed) named.push_back(Describe(row));
  const std::string more =
      old.size() > kNamed ? fmt::format(" and {} more", old.size() - kNamed)
                          : "";
  return Finding{
      kCheck, Status::kWarning,
      fmt::format("old for {}{}", fmt::join(named, ", "), more),
      "ANALYZE; (in psql) renews them. If they grow old again, autovacuum does "
      "not get to these tables: see autovacuum_max_workers, "
      "pg_stat_progress_vacuum, and transactions that stay open."};
}

}  // namespace

Findings CheckStatistics(sql::Transaction& transaction,
                         const StatisticsLimits& limits) {
  Findings findings;
  const sql::Result autovacuum = transaction.Run(queries::kInspectAutovacuum);
  if (!autovacuum[0].Get<bool>("runs"))
    findings.push_back(
        {kCheck, Status::kWarning,
         "nobody renews them: autovacuum or track_counts is off",
         "Set both to on in postgresql.conf: without them tables also grow "
         "without end."});
  const auto left_alone =
      autovacuum[0].Get<std::vector<std::string>>("left_alone");
  if (!left_alone.empty())
    findings.push_back(
        {kCheck, Status::kWarning,
         fmt::format("autovacuum is off for {}", fmt::join(left_alone, ", ")),
         fmt::format("ALTER TABLE {} RESET (autovacuum_enabled); and so for "
                     "each.",
                     left_alone.front())});
  if (const auto old = OldStatistics(
          transaction.Run(queries::kListOldStatistics, limits.rows,
                          fmt::format("{} seconds", limits.age.count()))))
    findings.push_back(*old);
  if (findings.empty())
    findings.push_back({kCheck, Status::kWell, "no table's are old", ""});
  return findings;
}

}  // namespace fluxnetes::services
