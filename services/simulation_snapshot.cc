#include "services/simulation_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "services/simulation_queries.h"
#include "services/simulation_queues.h"
#include "sql/transaction.h"
#include "workers/account_rows.h"
#include "workers/other_resources.h"

namespace fluxnetes::services {
namespace {

using workers::Scenario;

constexpr std::ptrdiff_t kNamed = 5;  // groups, in a note

cluster::Resources ResourcesIn(const sql::Row& row, const std::string& whose) {
  cluster::Resources resources;
  resources.cpu_milli = row.Get<std::int64_t>(whose + "cpu_milli");
  resources.memory_bytes = row.Get<std::int64_t>(whose + "memory_bytes");
  resources.pods = row.Get<std::int64_t>(whose + "pods");
  workers::ReadOtherResources(row.Get<std::string>(whose + "other"), resources);
  return resources;
}

// Others may use more than there is.
void TakeOff(const cluster::Resources& used, cluster::Resources& free) {
  const auto left = [](std::int64_t all, std::int64_t some) {
    return std::max<std::int64_t>(all - some, 0);
  };
  free.cpu_milli = left(free.cpu_milli, used.cpu_milli);
  free.memory_bytes = left(free.memory_bytes, used.memory_bytes);
  free.ephemeral_bytes = left(free.ephemeral_bytes, used.ephemeral_bytes);
  free.pods = left(free.pods, used.pods);
  for (const auto& [name, amount] : used.extended)
    free.SetExtended(name, left(free.Extended(name), amount));
}

bool LooksAtPods(const cluster::PodRequest& request) {
  const cluster::PodRules& rules = *request.rules;
  return !rules.affinity.empty() || !rules.anti_affinity.empty() ||
         !rules.preferred_pods.empty() || !rules.spread.empty();
}

void ForgetPods(cluster::PodRequest& request) {
  cluster::PodRules& rules = request.rules.Own();
  rules.affinity.clear();
  rules.anti_affinity.clear();
  rules.preferred_pods.clear();
  rules.spread.clear();
}

cluster::Node NodeIn(const sql::Row& row) {
  cluster::Node node;
  node.name = row.Get<std::string>("node_name");
  node.allocatable = ResourcesIn(row, "");
  TakeOff(ResourcesIn(row, "foreign_"), node.allocatable);
  node.labels = nlohmann::json::parse(row.Get<std::string>("labels"))
                    .get<std::map<std::string, std::string>>();
  node.unschedulable = row.Get<bool>("closed");
  return node;
}

cluster::PodRequest HeldRequest(const sql::Row& row) {
  cluster::PodRequest request;
  request.resources.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  request.resources.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  request.resources.pods = 1;
  if (const auto other = row.Find<std::string>("other"))
    workers::ReadOtherResources(*other, request.resources);
  return request;
}

class SnapshotReader {
 public:
  explicit SnapshotReader(Snapshot& snapshot)
      : scenario_(snapshot.scenario), notes_(snapshot.notes) {}

  void Read(sql::Transaction& transaction) {
    for (const sql::Row row : transaction.Run(queries::kSnapshotQueues)) {
      workers::QueueSettings queue{.name = row.Get<std::string>("name")};
      ApplyQueuePatch(row.Get<std::string>("settings"), queue);
      scenario_.queues.push_back(std::move(queue));
    }
    for (const sql::Row row :
         transaction.Run(queries::kSnapshotNodes, scenario_.begin))
      scenario_.nodes.push_back(NodeIn(row));
    scenario_.accounts = workers::ReadAccounts(transaction);
    std::vector<std::string> names;
    for (const workers::QueueSettings& queue : scenario_.queues)
      names.push_back(queue.name);
    scenario_.used = workers::ReadUse(transaction, names);
    ReadHeld(transaction.Run(queries::kSnapshotHeld));
    ReadWaiting(transaction.Run(queries::kSnapshotWaiting));
    LeaveRulesOut();
  }

 private:
  void ReadHeld(const sql::Result& rows) {
    std::int64_t last = 0;
    for (const sql::Row row : rows) {
      if (std::exchange(last, row.Get<std::int64_t>("id")) != last) {
        Close();
        Scenario::Group& group = Open(row);
        const auto start = row.Get<std::int64_t>("starts_at");
        if (const auto end = row.Find<std::int64_t>("ends_at"))
          group.duration = group.runs = std::max<std::int64_t>(*end - start, 1);
        scenario_.running.push_back(
            {static_cast<int>(scenario_.groups.size()) - 1, start, {}});
      }
      AddPodOf(HeldRequest(row));
      scenario_.running.back().nodes.push_back(
          row.Get<std::string>("node_name"));
    }
    Close();
  }

  void ReadWaiting(const sql::Result& rows) {
    std::int64_t last = 0;
    for (const sql::Row row : rows) {
      if (std::exchange(last, row.Get<std::int64_t>("id")) != last) {
        Close();
        Scenario::Group& group = Open(row);
        group.first_in_line = row.Get<bool>("first_in_line");
        group.duration = group.runs =
            row.Find<std::int64_t>("duration_seconds");
      }
      AddPodOf(cluster::PodRequestFromJson(row.Get<std::string>("request")));
    }
    Close();
  }

  Scenario::Group& Open(const sql::Row& row) {
    const auto space = row.Get<std::string>("namespace");
    Scenario::Group& group = scenario_.groups.emplace_back();
    group.name = space + "/" + row.Get<std::string>("group_name");
    group.submit = row.Get<std::int64_t>("submitted");
    group.priority = row.Get<std::int32_t>("priority");
    const auto queue =
        std::ranges::find(scenario_.queues, row.Get<std::string>("queue"),
                          &workers::QueueSettings::name);
    if (queue == scenario_.queues.end())
      throw std::logic_error("a group of a queue that is not there");
    group.queue = static_cast<int>(queue - scenario_.queues.begin());
    group.user = NumberOf(space, users_, scenario_.users);
    const auto label = row.Get<std::string>("account");
    if (!label.empty())
      group.label = NumberOf(label, labels_, scenario_.labels);
    return group;
  }

  static int NumberOf(const std::string& name,
                      std::map<std::string, int>& known,
                      std::vector<std::string>& names) {
    const auto [place, added] =
        known.try_emplace(name, static_cast<int>(names.size()));
    if (added) names.push_back(name);
    return place->second;
  }

  void LeaveRulesOut() {
    const std::string whose = WithRulesAboutPods(scenario_, 0);
    if (whose.empty()) return;
    notes_.push_back(
        "rules about other pods are left out, since the records have no labels "
        "of pods: of " +
        whose);
    for (Scenario::Request& each : scenario_.requests)
      if (LooksAtPods(each.request)) ForgetPods(each.request);
  }

  // Of the group that was opened last; equal ones come one after the other.
  void AddPodOf(const cluster::PodRequest& request) {
    const std::string& space =
        scenario_.users[static_cast<std::size_t>(scenario_.groups.back().user)];
    const auto [known, added] =
        requests_.try_emplace({cluster::ToJson(request), space},
                              static_cast<int>(scenario_.requests.size()));
    if (added) scenario_.requests.push_back({request, space});
    if (shape_.empty() || shape_.back().request != known->second) {
      shape_.push_back({known->second, 1});
    } else {
      ++shape_.back().count;
    }
  }

  void Close() {
    if (shape_.empty()) return;
    scenario_.groups.back().shape = static_cast<int>(scenario_.shapes.size());
    scenario_.shapes.push_back(std::exchange(shape_, {}));
  }

  Scenario& scenario_;
  std::vector<Scenario::Pods> shape_;
  std::map<std::pair<std::string, std::string>, int> requests_;  // by namespace
  std::map<std::string, int> users_;
  std::map<std::string, int> labels_;
  std::vector<std::string>& notes_;
};

}  // namespace

Snapshot ReadSnapshot(sql::Pool& pool, std::int64_t now) {
  Snapshot snapshot;
  snapshot.scenario.begin = now;
  sql::Transaction transaction(pool, sql::Isolation::kRepeatableRead);
  SnapshotReader(snapshot).Read(transaction);
  return snapshot;
}

std::string WithRulesAboutPods(const Scenario& scenario, std::size_t from) {
  std::string names;
  std::ptrdiff_t more = -kNamed;
  for (std::size_t i = from; i < scenario.groups.size(); ++i) {
    const Scenario::Group& group = scenario.groups[i];
    const auto& shape = scenario.shapes[static_cast<std::size_t>(group.shape)];
    if (std::ranges::none_of(shape, [&](const Scenario::Pods& pods) {
          return LooksAtPods(
              scenario.requests[static_cast<std::size_t>(pods.request)]
                  .request);
        }))
      continue;
    if (++more <= 0) names += (names.empty() ? "" : ", ") + group.name;
  }
  return more > 0 ? fmt::format("{} and {} more", names, more) : names;
}

}  // namespace fluxnetes::services
