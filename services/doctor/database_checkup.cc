#include "services/doctor/database_checkup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "services/console/time_text.h"
#include "services/database/database.h"
#include "services/doctor/doctor_queries.h"
#include "services/doctor/server_queries.h"
#include "services/doctor/statistics_checkup.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using Status = Finding::Status;
using NameList = std::vector<std::string>;

constexpr int kLeastServer = 150'000;  // PostgreSQL 15
constexpr double kClockWarning = 1;    // seconds
constexpr double kClockFailure = 30;
constexpr double kIdleWarning = 300;
constexpr double kStuckJob = 60;
constexpr std::int64_t kLeastDaysAhead = 3;

std::string InSeconds(double seconds) {
  if (std::abs(seconds) < 1)
    return fmt::format("{:.0f}ms", std::abs(seconds) * 1'000);
  return ShortDuration(std::chrono::seconds(std::llround(std::abs(seconds))));
}

class Checkup {
 public:
  Checkup(const Config& config, const std::function<sql::Timestamp()>& now)
      : config_(config), now_(now) {}

  DatabaseCheckup Run() {
    const std::pair<const char*, void (Checkup::*)(sql::Transaction&)>
        checks[] = {{"rights in the database", &Checkup::CheckRights},
                    {"schedulers", &Checkup::CheckClients},
                    {"work queue", &Checkup::CheckJobs},
                    {"partitions", &Checkup::CheckPartitions},
                    {"statistics", &Checkup::AddStatistics},
                    {"records", &Checkup::CheckRecords}};
    const auto skip = [&](const char* why) {
      for (const auto& [name, check] : checks) Add(name, Status::kSkipped, why);
      return Result();
    };
    if (!Guarded("database", [&] { CheckServer(); })) {
      Add("schema", Status::kSkipped, "not looked at: no database");
      return skip("not looked at: no database");
    }
    std::unique_ptr<sql::Pool> pool;
    const bool fits = Guarded("schema", [&] {
      pool = OpenDatabase(config_, {queries::kAllDoctor});
      Add("schema", Status::kWell,
          fmt::format("'{}' is the one that this program needs",
                      config_.database.schema));
    });
    if (!fits) return skip("not looked at: the schema does not fit");
    for (const auto& [name, check] : checks)
      Guarded(name, [&, check = check] {
        sql::Transaction transaction(*pool, sql::Isolation::kReadOnly);
        (this->*check)(transaction);
      });
    return Result();
  }

 private:
  DatabaseCheckup Result() {
    return {std::move(findings_), std::move(owner_queues_)};
  }

  void Add(const char* check, Status status, std::string what,
           std::string mend = {}) {
    findings_.push_back({check, status, std::move(what), std::move(mend)});
  }

  // Returns true if `look` succeeds, else adds its error as a finding.
  template <typename Look>
  bool Guarded(const char* check, const Look& look) {
    try {
      look();
      return true;
    } catch (const Failure& failure) {
      Add(check, Status::kFailed, failure.what(), failure.next());
    } catch (const sql::Error& error) {
      const Failure failure = Explain(error, config_);
      Add(check, Status::kFailed, failure.what(), failure.next());
    } catch (const std::exception& error) {
      Add(check, Status::kFailed, error.what());
    }
    return false;
  }

  void CheckServer() {
    const auto pool = ConnectDatabase(config_, {queries::kAllServer});
    sql::Transaction transaction(*pool, sql::Isolation::kReadOnly);
    const sql::Timestamp before = now_();
    const sql::Result result = transaction.Run(queries::kInspectServer);
    const sql::Timestamp after = now_();
    const sql::Row row = result[0];
    const std::string what = fmt::format("PostgreSQL {}, as role {}",
                                         row.Get<std::string>("version"),
                                         row.Get<std::string>("role"));
    if (row.Get<int>("version_number") < kLeastServer)
      Add("database", Status::kFailed, what + ": too old",
          "Use PostgreSQL 15 or newer.");
    else if (row.Get<bool>("in_recovery"))
      Add("database", Status::kFailed,
          what + ": a standby, which takes no changes",
          "Let --database name the primary; in a URI with several hosts add "
          "target_session_attrs=read-write.");
    else
      Add("database", Status::kWell, what);
    CheckDurability(row);
    CheckRoom(row);
    CheckClock(row.Get<sql::Timestamp>("now"), before, after);
  }

  void CheckDurability(const sql::Row& row) {
    NameList off;
    for (const char* setting :
         {"fsync", "full_page_writes", "synchronous_commit"})
      if (row.Get<std::string>(setting) == "off") off.emplace_back(setting);
    if (off.empty()) return;
    Add("durability", Status::kWarning,
        fmt::format("{} off: a crash of the database may lose what it has "
                    "confirmed",
                    fmt::join(off, ", ")),
        "Set it to on in postgresql.conf, unless the data may be lost.");
  }

  void CheckRoom(const sql::Row& row) {
    const auto most = row.Get<int>("max_connections");
    const auto used = row.Get<std::int64_t>("connections");
    const std::string what =
        fmt::format("{} of {} connections are in use", used, most);
    if (most - used < config_.database.max_connections)
      Add("connections", Status::kWarning,
          fmt::format("{}; a process may open {}", what,
                      config_.database.max_connections),
          "Raise max_connections of PostgreSQL, lower --max-connections, or "
          "put pgbouncer between (--database-pooling transaction).");
    else
      Add("connections", Status::kWell, what);
    const double idle = row.Find<double>("oldest_idle_transaction").value_or(0);
    if (idle > kIdleWarning)
      Add("open transactions", Status::kWarning,
          fmt::format("somebody has left a transaction open for {}: what is "
                      "deleted meanwhile cannot be cleaned up",
                      InSeconds(idle)),
          "SELECT pid, usename, application_name FROM pg_stat_activity WHERE "
          "state LIKE 'idle in transaction%' shows whose it is; end it there, "
          "or by pg_terminate_backend(pid).");
  }

  void CheckClock(sql::Timestamp theirs, sql::Timestamp before,
                  sql::Timestamp after) {
    // The server's time was read between the two; that is the accuracy.
    double ahead = 0;
    if (theirs < before)
      ahead = std::chrono::duration<double>(theirs - before).count();
    if (theirs > after)
      ahead = std::chrono::duration<double>(theirs - after).count();
    const std::string what =
        ahead == 0
            ? fmt::format(
                  "as here, within {}",
                  InSeconds(
                      std::chrono::duration<double>(after - before).count()))
            : fmt::format("{} {} that of this host", InSeconds(ahead),
                          ahead > 0 ? "ahead of" : "behind");
    const double wrong = std::abs(ahead);
    Add("database clock",
        wrong > kClockFailure   ? Status::kFailed
        : wrong > kClockWarning ? Status::kWarning
                                : Status::kWell,
        what,
        wrong > kClockWarning
            ? "Let both hosts keep the time by NTP (`timedatectl`): deadlines "
              "and ages go by this host's clock, heartbeats by the database's."
            : "");
  }

  void CheckRights(sql::Transaction& transaction) {
    std::string missing;
    bool reads = true;
    for (const sql::Row row : transaction.Run(queries::kMissingRights)) {
      const NameList tables = row.Get<NameList>("tables");
      const auto privilege = row.Get<std::string>("privilege");
      reads = reads && privilege != "SELECT";
      missing += fmt::format(
          "{}{} on {}{}", missing.empty() ? "" : "; ", privilege, tables[0],
          tables.size() > 1 ? fmt::format(" and {} more", tables.size() - 1)
                            : "");
    }
    if (missing.empty())
      Add("rights in the database", Status::kWell,
          "all that the scheduler needs");
    else if (reads)
      Add("rights in the database", Status::kWarning,
          "enough to look, not to change anything or to serve: no " + missing,
          "To serve, use the role that owns the schema, or GRANT SELECT, "
          "INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " +
              config_.database.schema + " TO that role.");
    else
      Add("rights in the database", Status::kFailed, "no " + missing,
          "To look, a role needs: GRANT fluxnetes_viewer TO name.");
  }

  void CheckClients(sql::Transaction& transaction) {
    const sql::Result result = transaction.Run(queries::kInspectClients);
    const sql::Row row = result[0];
    const auto alive = row.Get<std::int64_t>("alive");
    if (alive == 0) {
      const auto silent = row.Find<double>("silent");
      Add("schedulers", Status::kFailed,
          silent
              ? fmt::format("none is alive; the last sign of life was {} ago",
                            InSeconds(*silent))
              : "none is alive, nor ever was",
          "Start `fluxnetes serve` on this database; if it should run, its log "
          "says why it does not.");
      return;
    }
    NameList ownerless;
    for (const sql::Row each : transaction.Run(queries::kListOwnerless))
      ownerless.push_back(each.Get<std::string>("name"));
    if (ownerless.empty())
      Add("schedulers", Status::kWell,
          fmt::format("{} alive, and everything has an owner", alive));
    else
      Add("schedulers", Status::kFailed,
          fmt::format("{} alive, but nobody has {}", alive,
                      fmt::join(ownerless, ", ")),
          "It should be taken over within seconds: look again; if it stays "
          "so, the logs of the schedulers say why they cannot lead.");
  }

  void CheckJobs(sql::Transaction& transaction) {
    const sql::Result result = transaction.Run(queries::kInspectJobs);
    const sql::Row row = result[0];
    const std::size_t before = findings_.size();
    const auto count = [&](const char* column, const char* what,
                           const char* mend) {
      const auto jobs = row.Get<std::int64_t>(column);
      if (jobs > 0)
        Add("work queue", Status::kWarning,
            fmt::format("{} job{} {}", jobs, jobs == 1 ? "" : "s", what), mend);
    };
    count("orphaned", "leased by processes that are dead",
          "A living scheduler takes them over within seconds: look again.");
    count("failing", "failed five times or more and are tried again",
          "`fluxnetes get jobs --state retryable` lists them, `fluxnetes jobs "
          "show ID` says why; `fluxnetes jobs retry ID` once it is mended.");
    count("discarded", "given up within a day",
          "`fluxnetes get jobs --state discarded --finished 24h` lists them; "
          "`fluxnetes jobs retry ID` once the cause is mended.");
    const double waits = row.Find<double>("oldest_available").value_or(0);
    if (waits > kStuckJob)
      Add("work queue", Status::kWarning,
          fmt::format("a job that may run has waited for {}", InSeconds(waits)),
          "`fluxnetes jobs stats` says in which queue; more replicas of "
          "`fluxnetes serve`, or the API server is slow: see their log.");
    const auto paused = row.Find<NameList>("paused");
    if (paused && !paused->empty())
      Add("work queue", Status::kWarning,
          fmt::format("paused: {}", fmt::join(*paused, ", ")),
          "UPDATE job_queues SET paused_at = NULL WHERE name = '...'.");
    if (findings_.size() == before)
      Add("work queue", Status::kWell, "no job is stuck");
  }

  void CheckPartitions(sql::Transaction& transaction) {
    std::int64_t least = 30;
    std::string which;
    for (const sql::Row row : transaction.Run(queries::kCountPartitionsAhead)) {
      const auto days = row.Get<std::int64_t>("days");
      if (days >= least) continue;
      least = days;
      which = row.Get<std::string>("parent");
    }
    if (least >= kLeastDaysAhead) {
      Add("partitions", Status::kWell, fmt::format("made for {} days", least));
      return;
    }
    Add("partitions", least == 0 ? Status::kFailed : Status::kWarning,
        least == 0
            ? fmt::format("{} has none for today: nothing can end", which)
            : fmt::format("{} has them for {} day{} only", which, least,
                          least == 1 ? "" : "s"),
        fmt::format("A running scheduler makes them ahead. By hand: SELECT "
                    "make_partitions('{}', 7);",
                    which));
  }

  void AddStatistics(sql::Transaction& transaction) {
    for (Finding& finding : CheckStatistics(transaction))
      findings_.push_back(std::move(finding));
  }

  void CheckRecords(sql::Transaction& transaction) {
    const sql::Result result = transaction.Run(queries::kInspectRecords);
    const sql::Row row = result[0];
    const std::size_t before = findings_.size();
    owner_queues_ = row.Find<NameList>("owners").value_or(NameList());
    const auto nodes = row.Get<std::int64_t>("nodes");
    const auto closed = row.Get<std::int64_t>("closed");
    if (nodes == closed)
      Add("records", Status::kWarning,
          nodes == 0 ? "no node is known"
                     : fmt::format("all {} nodes are closed", nodes),
          "`fluxnetes get nodes` says why; without any, the scheduler has not "
          "reached the API server yet.");
    const auto paused = row.Find<NameList>("paused");
    if (paused && !paused->empty())
      Add("records", Status::kWarning,
          fmt::format("paused queues: {}", fmt::join(*paused, ", ")),
          "`fluxnetes queue resume NAME`");
    const auto healed = row.Find<NameList>("healed");
    if (healed && !healed->empty())
      Add("records", Status::kWarning,
          fmt::format("the full comparison has healed differences within a "
                      "day: {}",
                      fmt::join(*healed, ", ")),
          "SELECT * FROM resync_differences tells which; a fault of the "
          "scheduler if they come again and again: report it.");
    if (findings_.size() == before)
      Add("records", Status::kWell,
          fmt::format("{} nodes ({} closed), {} queue{}", nodes, closed,
                      row.Get<std::int64_t>("queues"),
                      row.Get<std::int64_t>("queues") == 1 ? "" : "s"));
  }

  const Config& config_;
  const std::function<sql::Timestamp()>& now_;
  Findings findings_;
  std::optional<NameList> owner_queues_;
};

}  // namespace

DatabaseCheckup CheckDatabase(const Config& config,
                              const std::function<sql::Timestamp()>& now) {
  return Checkup(config, now).Run();
}

}  // namespace fluxnetes::services
