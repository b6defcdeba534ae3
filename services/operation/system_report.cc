#include "services/operation/system_report.h"

#include <google/protobuf/util/time_util.h>

#include <cstdlib>
#include <string>

#include "services/console/secret.h"
#include "services/doctor/cluster_checkup.h"
#include "services/doctor/database_checkup.h"
#include "services/listing/listing_queries.h"
#include "services/operation/operation_queries.h"

namespace fluxnetes::services {
namespace {

google::protobuf::Timestamp TimeIn(const sql::Row& row, const char* column) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      row.Get<sql::Timestamp>(column).time_since_epoch().count());
}

void FillDatabase(v1::Database& message, const sql::Row& row) {
  message.set_version(row.Get<std::string>("version"));
  message.set_schema(row.Get<std::string>("schema"));
  message.set_migration(row.Get<std::int32_t>("migration"));
  message.set_size_bytes(row.Get<std::int64_t>("size_bytes"));
  message.set_connections(row.Get<std::int32_t>("connections"));
  message.set_max_connections(row.Get<std::int32_t>("max_connections"));
}

void FillReplica(v1::Replica& message, const sql::Row& row) {
  message.set_id(row.Get<std::int64_t>("id"));
  message.set_name(row.Get<std::string>("name"));
  *message.mutable_started_at() = TimeIn(row, "started_at");
  *message.mutable_heartbeat_at() = TimeIn(row, "heartbeat_at");
  message.set_alive(row.Get<bool>("alive"));
  message.set_leases(row.Get<std::int64_t>("leases"));
}

void FillLeadership(v1::Leadership& message, const sql::Row& row) {
  message.set_name(row.Get<std::string>("name"));
  message.set_term(row.Get<std::int64_t>("term"));
  message.set_replica(row.Find<std::int64_t>("replica").value_or(0));
  *message.mutable_acquired_at() = TimeIn(row, "acquired_at");
}

void FillLoop(v1::Loop& message, const sql::Row& row) {
  message.set_replica(row.Get<std::int64_t>("replica"));
  message.set_name(row.Get<std::string>("name"));
  message.set_number(row.Get<std::int32_t>("number"));
  if (row.Find<sql::Timestamp>("last_run_at"))
    *message.mutable_last_run_at() = TimeIn(row, "last_run_at");
  message.set_took_seconds(row.Find<double>("took").value_or(0));
  message.set_lag_seconds(row.Find<double>("lag").value_or(0));
  message.set_runs(row.Get<std::int64_t>("runs"));
  message.set_failures(row.Get<std::int64_t>("failures"));
  message.set_running_seconds(row.Find<double>("running").value_or(0));
  message.set_failing_seconds(row.Find<double>("failing").value_or(0));
  *message.mutable_reported_at() = TimeIn(row, "reported_at");
}

v1::CheckStatus StatusOf(Finding::Status status) {
  switch (status) {
    case Finding::Status::kWell:
      return v1::CHECK_STATUS_WELL;
    case Finding::Status::kWarning:
      return v1::CHECK_STATUS_WARNING;
    case Finding::Status::kFailed:
      return v1::CHECK_STATUS_FAILED;
    case Finding::Status::kSkipped:
      return v1::CHECK_STATUS_SKIPPED;
  }
  return v1::CHECK_STATUS_UNSPECIFIED;
}

void FillFindings(v1::GetSystemResponse& response, const Findings& findings) {
  for (const Finding& finding : findings) {
    v1::Check& check = *response.add_checkup();
    check.set_name(finding.check);
    check.set_status(StatusOf(finding.status));
    check.set_what(MaskPasswords(finding.what));
    check.set_mend(MaskPasswords(finding.mend));
  }
}

sql::Timestamp HostTime() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

const char* HostEnvironment(const char* name) { return std::getenv(name); }

}  // namespace

void FillSystem(v1::GetSystemResponse& response,
                sql::Transaction& transaction) {
  const sql::Result database = transaction.Run(queries::kDescribeDatabase);
  *response.mutable_now() = TimeIn(database[0], "now");
  FillDatabase(*response.mutable_database(), database[0]);
  for (const sql::Row row : transaction.Run(queries::kListReplicas))
    FillReplica(*response.add_replicas(), row);
  for (const sql::Row row : transaction.Run(queries::kListLeaderships))
    FillLeadership(*response.add_leaderships(), row);
  for (const sql::Row row : transaction.Run(queries::kListLoops))
    FillLoop(*response.add_loops(), row);
}

void FillHealth(v1::GetSystemResponse& response, const Health& health) {
  for (const HealthCheck& each : health) {
    v1::Check& check = *response.add_health();
    check.set_name(each.name);
    check.set_status(each.Well() ? v1::CHECK_STATUS_WELL
                                 : v1::CHECK_STATUS_FAILED);
    check.set_what(each.Well() ? each.note : each.problem);
  }
}

void RunCheckup(v1::GetSystemResponse& response, const Config& config) {
  const DatabaseCheckup database = CheckDatabase(config, HostTime);
  FillFindings(response, database.findings);
  FillFindings(response, CheckCluster(config, HostEnvironment, HostTime,
                                      database.owner_queues));
}

}  // namespace fluxnetes::services
