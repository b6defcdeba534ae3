#include "services/doctor/structure_checkup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/json/watch_line.h"
#include "services/config/structures.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using cluster::WatchedKind;

constexpr const char* kInsideOfNodes = "inside of nodes";
constexpr std::size_t kMostTold = 10;

// Returns false if the kind cannot be listed.
bool ListKind(WatchedKind kind, cluster::HttpClient& client,
              std::vector<cluster::WatchEvent>& events) {
  std::string continuation;
  do {
    cluster::HttpRequest request;
    request.path =
        std::string(cluster::ResourceOf(kind).paths[0]) + "?limit=500";
    if (!continuation.empty())
      request.path += "&continue=" + cluster::PercentEncode(continuation);
    request.once = true;
    request.deadline = std::chrono::seconds(5);
    const cluster::HttpResponse response = client.Send(std::move(request));
    if (!response.Succeeded()) return false;
    cluster::ListPage page = cluster::ReadListPage(kind, response.body);
    if (!page.readable) return false;
    std::ranges::move(page.changes, std::back_inserter(events));
    continuation = std::move(page.continuation);
  } while (!continuation.empty());
  return true;
}

}  // namespace

Findings CheckStructures(const Config& config, cluster::HttpClient& client) {
  using Status = Finding::Status;
  try {
    cluster::ClusterCache cache(LoadStructures(config));
    std::vector<cluster::WatchEvent> events;
    ListKind(WatchedKind::kNodeTopologies, client, events);
    if (!ListKind(WatchedKind::kNodes, client, events)) {
      return {{kInsideOfNodes, Status::kSkipped, "the nodes cannot be listed"}};
    }
    Findings findings;
    const auto warnings = cache.Apply(events).warnings;
    for (const std::string& warning : warnings) {
      if (findings.size() == kMostTold) {
        findings.push_back(
            {kInsideOfNodes, Status::kWarning,
             fmt::format("and {} more nodes", warnings.size() - kMostTold)});
        break;
      }
      findings.push_back(
          {kInsideOfNodes, Status::kWarning, warning,
           "docs/inside.md (Where structures come from) says what is right."});
    }
    const auto nodes = cache.Nodes();
    const auto known = std::ranges::count_if(
        nodes, [](const auto& node) { return node->structure.Any(); });
    if (findings.empty()) {
      findings.push_back(
          {kInsideOfNodes, Status::kWell,
           fmt::format("known of {} of {} nodes", known, nodes.size())});
    }
    return findings;
  } catch (const Failure& failure) {
    return {{kInsideOfNodes, Status::kFailed, failure.what(), failure.next()}};
  } catch (const std::exception& error) {
    return {{kInsideOfNodes, Status::kFailed, error.what()}};
  }
}

}  // namespace fluxnetes::services
