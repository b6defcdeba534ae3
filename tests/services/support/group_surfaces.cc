#include "tests/services/support/group_surfaces.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "services/console/time_text.h"
#include "tests/services/support/grpc_client.h"
#include "workers/catalogue.h"
#include "workers/news/wait_news.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

std::string TextOrNothing(const json& value) {
  return value.is_null()     ? ""
         : value.is_string() ? value.get<std::string>()
                             : value.dump();
}

std::pair<std::string, SaidOfGroup> InDocument(const json& group) {
  return {TextOrNothing(group.at("namespace")) + "/" +
              TextOrNothing(group.at("name")),
          {.state = TextOrNothing(group.at("shownState")),
           .reason = TextOrNothing(group.at("reason")),
           .start = TextOrNothing(group.at("estimatedStart")),
           .cell = {},
           .position = TextOrNothing(group.at("position"))}};
}

std::string Output(CommandRun& run, const std::string& command) {
  EXPECT_EQ(run(command), ExitCode::kOk) << command << "\n" << run.err();
  return run.out();
}

// The cell that begins at the column of a heading.
std::string CellAt(const std::string& line, const std::string& header,
                   const std::string& heading) {
  const std::string from = line.substr(header.find(heading));
  const std::string cell = from.substr(0, from.find("  "));
  return cell == "-" ? "" : cell;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return Rfc3339(
      sql::Timestamp(std::chrono::seconds(time.seconds()) +
                     std::chrono::microseconds(time.nanos() / 1000)));
}

std::pair<std::string, SaidOfGroup> InMessage(const v1::Group& group,
                                              bool with_position) {
  SaidOfGroup said{.state = group.shown_state(),
                   .reason = group.reason(),
                   .start = group.has_estimated_start()
                                ? TimeText(group.estimated_start())
                                : "",
                   .cell = {},
                   .position = {}};
  if (with_position)
    said.position =
        group.has_position() ? std::to_string(group.position()) : "";
  return {group.namespace_() + "/" + group.name(), said};
}

std::string SpaceOf(const std::string& name) {
  return name.substr(0, name.find('/'));
}
std::string NameIn(const std::string& name) {
  return name.substr(name.find('/') + 1);
}

// A cluster that keeps the conditions of pods, and takes nothing else.
class ConditionsOfPods final : public cluster::Cluster {
 public:
  std::vector<cluster::StatusResult> SetConditions(
      std::span<const cluster::PodCondition> conditions) override {
    told.insert(told.end(), conditions.begin(), conditions.end());
    return std::vector<cluster::StatusResult>(
        conditions.size(), {cluster::StatusOutcome::kSet, "2"});
  }
  void Record(std::span<const cluster::PodEvent>) override {}

  std::unique_ptr<cluster::Watch> WatchAll() override { Refuse(); }
  std::vector<cluster::BindResult> Bind(std::span<const cluster::Binding>,
                                        std::chrono::milliseconds) override {
    Refuse();
  }
  std::vector<cluster::AnnounceResult> Announce(
      std::span<const cluster::NodeAnnouncement>) override {
    Refuse();
  }
  std::vector<cluster::ClaimResult> AllocateClaims(
      std::span<const cluster::ClaimAllocation>) override {
    Refuse();
  }
  std::vector<cluster::ClaimResult> ReleaseClaims(
      std::span<const cluster::ClaimRelease>) override {
    Refuse();
  }
  std::optional<cluster::Pod> GetPod(const std::string&,
                                     const std::string&) override {
    Refuse();
  }
  std::vector<cluster::TouchResult> Touch(
      std::span<const cluster::ObjectName>) override {
    Refuse();
  }
  bool Delete(const cluster::ObjectName&) override { Refuse(); }
  std::vector<cluster::ControllerState> ReadControllers(
      std::span<const cluster::ObjectName>) override {
    Refuse();
  }
  std::optional<cluster::ObjectName> TopOwner(
      const cluster::ObjectName&) override {
    Refuse();
  }
  bool MayReplace(const cluster::ObjectName&) override { Refuse(); }
  std::vector<cluster::StatusResult> SetGroupStatuses(
      std::span<const cluster::PodGroupNews>) override {
    Refuse();
  }

  std::vector<cluster::PodCondition> told;

 private:
  [[noreturn]] static void Refuse() {
    throw std::logic_error("nobody asks this of the cluster");
  }
};

}  // namespace

Sayings TableOfGet(CommandRun& run) {
  std::istringstream lines(Output(run, "get groups -A -o wide --finished 1h"));
  std::string header;
  std::getline(lines, header);
  Sayings all;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string space, name;
    words >> space >> name;
    SaidOfGroup& said = all[space + "/" + name];
    said.state = CellAt(line, header, "STATE");
    said.reason = CellAt(line, header, "REASON");
    said.cell = CellAt(line, header, "START");
    // This column is adjusted to the right.
    const auto end = header.find("POSITION") + 8;
    const std::string before = line.substr(0, end);
    said.position = before.substr(before.rfind(' ') + 1);
    if (said.position == "-") said.position = "";
  }
  return all;
}

Sayings DocumentsOfGet(CommandRun& run) {
  Sayings all;
  const json list =
      json::parse(Output(run, "get groups -A -o json --finished 1h"));
  for (const json& group : list.at("items")) all.insert(InDocument(group));
  return all;
}

Sayings DocumentsOfWatch(CommandRun& run) {
  Sayings all;
  std::istringstream lines(
      Output(run, "get groups -A --watch -o json --finished 1h"));
  for (std::string line; std::getline(lines, line);)
    all.insert(InDocument(json::parse(line)));
  return all;
}

Sayings TextsOfDescribe(CommandRun& run, const Sayings& groups) {
  Sayings all;
  for (const auto& [name, known] : groups) {
    std::istringstream lines(Output(run, "describe group " + name));
    SaidOfGroup& said = all[name];
    said.reason = said.position = "";
    for (std::string line; std::getline(lines, line);) {
      const auto value = line.size() > 18 ? line.substr(18) : "";
      if (line.starts_with("State:")) said.state = value;
      if (line.starts_with("Reason:")) said.reason = value;
      if (line.starts_with("Position:")) said.position = value;
    }
  }
  return all;
}

Sayings DocumentsOfDescribe(CommandRun& run, const Sayings& groups) {
  Sayings all;
  for (const auto& [name, known] : groups)
    all.insert(InDocument(
        json::parse(Output(run, "describe group " + name + " -o json"))));
  return all;
}

Sayings InExplanations(const Explanations& explanations) {
  Sayings all;
  for (const auto& [name, explanation] : explanations)
    all.insert(InDocument(explanation.at("group")));
  return all;
}

Explanations DocumentsOfExplain(CommandRun& run, const Sayings& groups) {
  Explanations all;
  for (const auto& [name, known] : groups)
    all[name] = json::parse(Output(run, "explain group " + name + " -o json"));
  return all;
}

Sayings DocumentsOfTop(CommandRun& run) {
  Sayings all;
  const json list = json::parse(Output(run, "top groups -o json"));
  for (const json& group : list.at("items"))
    all[group.at("group")].state = group.at("shownState");
  return all;
}

Sayings DocumentsOfTimeline(CommandRun& run) {
  Sayings all;
  const json document = json::parse(Output(run, "timeline -o json"));
  for (const json& group : document.at("groups"))
    if (group.at("kind") != "running" && group.at("kind") != "draining")
      all[group.at("group")].start = TextOrNothing(group.at("start"));
  return all;
}

Sayings RowsOf(testing::TestDatabase& database, const std::string& view) {
  const bool with_start = view == "pending";
  const json rows = json::parse(database.Ask(
      std::string("SELECT coalesce(json_agg(v), '[]') FROM (SELECT *") +
      (with_start ? ", to_char(estimated_start AT TIME ZONE 'UTC',"
                    " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS start"
                  : "") +
      " FROM " + view + ") AS v"));
  Sayings all;
  for (const json& row : rows) {
    SaidOfGroup& said = all[row.at("namespace").get<std::string>() + "/" +
                            row.at("group_name").get<std::string>()];
    said.state = TextOrNothing(row.at("shown_state"));
    said.reason = TextOrNothing(row.at("reason"));
    if (!with_start) continue;
    said.position = TextOrNothing(row.at("position"));
    said.start = TextOrNothing(row.at("start"));
  }
  return all;
}

Sayings ListedByGrpc(v1::Scheduler::Stub& stub) {
  Sayings all;
  v1::ListGroupsRequest request;
  request.set_page_size(7);
  request.set_finished_within_seconds(3'600);
  do {
    grpc::ClientContext context;
    SetPatience(context);
    v1::ListGroupsResponse response;
    const grpc::Status status = stub.ListGroups(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    for (const v1::Group& group : response.groups())
      all.insert(InMessage(group, false));
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return all;
}

Sayings GotByGrpc(v1::Scheduler::Stub& stub, const Sayings& groups) {
  Sayings all;
  for (const auto& [name, known] : groups) {
    v1::GetGroupRequest request;
    request.set_namespace_(SpaceOf(name));
    request.set_name(NameIn(name));
    grpc::ClientContext context;
    SetPatience(context);
    v1::GetGroupResponse response;
    const grpc::Status status = stub.GetGroup(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    all.insert(InMessage(response.group(), true));
  }
  return all;
}

Sayings ExplainedByGrpc(v1::Scheduler::Stub& stub, const Sayings& groups) {
  Sayings all;
  for (const auto& [name, known] : groups) {
    v1::ExplainGroupRequest request;
    request.set_namespace_(SpaceOf(name));
    request.set_name(NameIn(name));
    grpc::ClientContext context;
    SetPatience(context);
    v1::ExplainGroupResponse response;
    const grpc::Status status = stub.ExplainGroup(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    all.insert(InMessage(response.group(), true));
  }
  return all;
}

Sayings WatchedByGrpc(v1::Scheduler::Stub& stub, std::int64_t id) {
  Sayings all;
  grpc::ClientContext context;
  SetPatience(context);
  const auto stream = stub.WatchGroups(&context, {});
  bool found = false;
  v1::WatchGroupsResponse response;
  while (!found && stream->Read(&response)) {
    for (const v1::Group& group : response.groups()) {
      auto [name, said] = InMessage(group, false);
      all[name] = std::move(said);
      found |= group.id() == id;
    }
  }
  EXPECT_TRUE(found) << "the watch does not send group " << id;
  context.TryCancel();
  return all;
}

Sayings ToldToPods(testing::TestDatabase& database, sql::Timestamp now) {
  sql::PoolOptions options = database.options();
  options.catalogues = {workers::Catalogue()};
  sql::Pool pool(options);
  ConditionsOfPods pods;
  const workers::BindingLedger bindings;
  workers::WaitNews news(pool, pods, bindings, {});
  while (news.RunOnce(now)) {
  }
  Sayings all;
  for (const cluster::PodCondition& condition : pods.told) {
    // Pods are named after their group.
    const std::string group =
        condition.namespace_name + "/" +
        condition.pod_name.substr(0, condition.pod_name.find('-'));
    auto& said = all[group].reason;
    if (said) {
      EXPECT_EQ(*said, condition.message) << group;
    }
    said = condition.message;
  }
  return all;
}

}  // namespace fluxnetes::services
