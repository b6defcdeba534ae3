#include "services/simulation_snapshot.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "services/simulation_queries.h"
#include "services/simulation_queues.h"
#include "sql/transaction.h"
#include "workers/other_resources.h"

namespace fluxnetes::services {
namespace {

using workers::Scenario;

cluster::Node NodeIn(const sql::Row& row) {
  cluster::Node node;
  node.name = row.Get<std::string>("node_name");
  cluster::Resources& free = node.allocatable;
  const auto left = [&](const std::string& what) {
    return std::max<std::int64_t>(
        row.Get<std::int64_t>(what) - row.Get<std::int64_t>("foreign_" + what),
        0);
  };
  free.cpu_milli = left("cpu_milli");
  free.memory_bytes = left("memory_bytes");
  free.pods = left("pods");
  workers::ReadOtherResources(row.Get<std::string>("other"), free);
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
  explicit SnapshotReader(Scenario& scenario) : scenario_(scenario) {}

  void Read(sql::Transaction& transaction) {
    for (const sql::Row row : transaction.Run(queries::kSnapshotQueues)) {
      workers::QueueSettings queue{.name = row.Get<std::string>("name")};
      ApplyQueuePatch(row.Get<std::string>("settings"), queue);
      scenario_.queues.push_back(std::move(queue));
    }
    for (const sql::Row row :
         transaction.Run(queries::kSnapshotNodes, scenario_.begin))
      scenario_.nodes.push_back(NodeIn(row));
    ReadHeld(transaction.Run(queries::kSnapshotHeld));
    ReadWaiting(transaction.Run(queries::kSnapshotWaiting));
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
    const auto [user, added] =
        users_.try_emplace(space, static_cast<int>(scenario_.users.size()));
    if (added) scenario_.users.push_back(space);
    group.user = user->second;
    return group;
  }

  // Of the group that was opened last; equal ones come one after the other.
  void AddPodOf(const cluster::PodRequest& request) {
    const auto [known, added] = requests_.try_emplace(
        cluster::ToJson(request), static_cast<int>(scenario_.requests.size()));
    if (added) scenario_.requests.push_back({request});
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
  std::map<std::string, int> requests_;
  std::map<std::string, int> users_;
};

}  // namespace

Scenario ReadSnapshot(sql::Pool& pool, std::int64_t now) {
  Scenario scenario;
  scenario.begin = now;
  sql::Transaction transaction(pool, sql::Isolation::kRepeatableRead);
  SnapshotReader(scenario).Read(transaction);
  return scenario;
}

}  // namespace fluxnetes::services
