#include "tests/experiments/gang_watch.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "cluster/json/watch_line.h"

namespace fluxnetes::testing {
namespace {

// Longer than the interval of bookmarks, a minute.
constexpr std::chrono::minutes kLongestPause{5};

}  // namespace

class GangWatch::Reader final : public cluster::StreamReader {
 public:
  explicit Reader(GangWatch& watch) : watch_(watch) {}
  bool Ready() override { return true; }
  void Line(std::string_view line) override { watch_.Read(line); }
  void End(cluster::HttpResponse response) override { watch_.End(response); }

 private:
  GangWatch& watch_;
};

GangWatch::GangWatch(const cluster::HttpOptions& access,
                     const std::string& name_space,
                     const std::vector<int>& sizes)
    : path_("/api/v1/namespaces/" + name_space + "/pods"), client_(access) {
  for (const int size : sizes) gangs_.emplace_back().size = size;
  const auto list = client_.Send({.path = path_ + "?limit=1"});
  if (!list.Succeeded())
    throw std::runtime_error(path_ + ": " + list.error + list.body);
  version_ = nlohmann::json::parse(list.body)["metadata"]["resourceVersion"];
  Open();
}

GangWatch::~GangWatch() { stream_.reset(); }

void GangWatch::Open() {
  stream_.reset();
  std::string version;
  {
    const sql::MutexLock lock(mutex_);
    version = version_;
  }
  reader_ = std::make_unique<Reader>(*this);
  stream_ = client_.Open(path_ +
                             "?watch=true&allowWatchBookmarks=true&"
                             "timeoutSeconds=3600&resourceVersion=" +
                             version,
                         kLongestPause, *reader_);
}

std::vector<GangNews> GangWatch::WaitForNews(SteadyTime until) {
  bool cut_off = false;
  {
    const sql::MutexLock lock(mutex_);
    while (news_.empty() && !cut_off_ && failure_.empty() &&
           more_.WaitUntil(mutex_, until)) {
    }
    if (!failure_.empty()) throw std::runtime_error(failure_);
    cut_off = std::exchange(cut_off_, false);
  }
  if (cut_off) Open();
  const sql::MutexLock lock(mutex_);
  return std::exchange(news_, {});
}

std::vector<GangChange> GangWatch::Changes() const {
  const sql::MutexLock lock(mutex_);
  return changes_;
}

void GangWatch::Read(std::string_view text) {
  const auto now = std::chrono::steady_clock::now();
  const cluster::WatchLine line =
      cluster::ReadWatchLine(cluster::WatchedKind::kPods, text);
  const sql::MutexLock lock(mutex_);
  if (!line.resource_version.empty()) version_ = line.resource_version;
  if (line.type == cluster::WatchLine::Type::kBookmark) return;
  if (line.type == cluster::WatchLine::Type::kEvent) {
    Count(*std::get<std::shared_ptr<const cluster::Pod>>(line.event.object),
          line.event.kind == cluster::WatchEvent::Kind::kDeleted, now);
    return;
  }
  failure_ = "cannot watch the gangs: " + line.message;
  more_.NotifyAll();
}

void GangWatch::Count(const cluster::Pod& pod, bool deleted, SteadyTime now) {
  int number = 0;
  int member = 0;
  if (std::sscanf(pod.name.c_str(), "g%d-%d", &number, &member) != 2 ||
      number >= static_cast<int>(gangs_.size()) || pod.node_name.empty()) {
    return;
  }
  Gang& gang = gangs_[number];
  const bool fresh = (deleted ? gang.gone : gang.bound).insert(member).second;
  if (!fresh) return;
  const int gone = static_cast<int>(gang.gone.size());
  const int bound = static_cast<int>(gang.bound.size());
  changes_.push_back({now, number, bound - gone});
  if (deleted ? gone < gang.size : bound < gang.size) return;
  news_.push_back(
      {deleted ? GangNews::What::kGone : GangNews::What::kWhole, number, now});
  more_.NotifyAll();
}

void GangWatch::End(const cluster::HttpResponse& response) {
  const sql::MutexLock lock(mutex_);
  cut_off_ = response.status == 200 || response.status == 0;
  if (!cut_off_) failure_ = "cannot watch the gangs: " + response.body;
  more_.NotifyAll();
}

}  // namespace fluxnetes::testing
