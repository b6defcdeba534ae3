#include "cluster/http/api_tally.h"

#include <algorithm>

namespace fluxnetes::cluster {
namespace {

// The segments of a path after its group and version.
std::vector<std::string_view> Segments(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  std::size_t prefix = 0;
  if (!segments.empty() && segments[0] == "api") prefix = 2;
  if (!segments.empty() && segments[0] == "apis") prefix = 3;
  segments.erase(segments.begin(),
                 segments.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(prefix, segments.size())));
  return segments;
}

std::string_view VerbOf(std::string_view method, bool named) {
  if (method == "GET") return named ? "get" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "other";
}

}  // namespace

std::pair<std::string_view, std::string> VerbAndResource(
    std::string_view method, std::string_view path) {
  std::vector<std::string_view> segments = Segments(path);
  // namespaces/NAME/PLURAL..., but not a namespace itself.
  if (segments.size() > 2 && segments[0] == "namespaces")
    segments.erase(segments.begin(), segments.begin() + 2);
  if (segments.empty()) return {VerbOf(method, true), "other"};
  std::string resource(segments[0]);
  if (segments.size() > 2) resource.append("/").append(segments[2]);
  return {VerbOf(method, segments.size() > 1), std::move(resource)};
}

void ApiTally::Answered(std::string_view method, std::string_view path,
                        int status, std::chrono::nanoseconds took) {
  auto key = VerbAndResource(method, path);
  const sql::MutexLock lock(mutex_);
  Call& call = calls_[std::move(key)];
  ++call.answers[status];
  call.durations.Note(took);
}

std::vector<ApiCallCounts> ApiTally::calls() const {
  std::vector<ApiCallCounts> counts;
  const sql::MutexLock lock(mutex_);
  for (const auto& [key, call] : calls_) {
    counts.push_back({std::string(key.first), key.second, call.answers,
                      call.durations.counts()});
  }
  return counts;
}

std::vector<WatchCounts> ApiTally::watches() const {
  std::vector<WatchCounts> counts;
  for (const WatchedKind kind : WatchedKindsInOrder()) {
    const Watched& watched = watches_.at(Number(kind));
    counts.push_back({kind, watched.lists, watched.streams});
  }
  return counts;
}

}  // namespace fluxnetes::cluster
