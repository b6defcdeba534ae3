#include "tests/kubernetes/support/pod_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "cluster/json/objects.h"
#include "cluster/json/watch_line.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::testing {
namespace {

// Bookmarks come every minute.
constexpr std::chrono::minutes kSilence{5};

}  // namespace

class PodJournal::Reader final : public cluster::StreamReader {
 public:
  explicit Reader(PodJournal& journal) : journal_(journal) {}
  bool Ready() override { return true; }
  void Line(std::string_view line) override { journal_.Read(line); }
  void End(cluster::HttpResponse response) override { journal_.End(response); }

 private:
  PodJournal& journal_;
};

PodJournal::PodJournal(cluster::HttpClient& api, const std::string& name_space,
                       std::map<std::string, std::int64_t> cpu_milli_of_nodes)
    : capacity_(std::move(cpu_milli_of_nodes)),
      api_(api),
      path_("/api/v1/namespaces/" + name_space + "/pods") {
  const auto list = api.Send({.path = path_});
  if (!list.Succeeded()) throw std::runtime_error(path_ + ": " + list.error);
  const auto json = nlohmann::json::parse(list.body);
  for (const auto& pod : json.at("items")) See(cluster::DecodePod(pod), false);
  version_ = json["metadata"]["resourceVersion"];
  Open();
}

PodJournal::~PodJournal() = default;

void PodJournal::Open() {
  stream_.reset();
  std::string version;
  {
    const sql::MutexLock lock(mutex_);
    version = version_;
  }
  reader_ = std::make_unique<Reader>(*this);
  stream_ = api_.Open(path_ +
                          "?watch=true&allowWatchBookmarks=true&"
                          "timeoutSeconds=3600&resourceVersion=" +
                          version,
                      kSilence, *reader_);
}

PodJournal::Sum PodJournal::Look() {
  bool cut_off = false;
  {
    const sql::MutexLock lock(mutex_);
    cut_off = std::exchange(cut_off_, false);
  }
  if (cut_off) Open();
  const sql::MutexLock lock(mutex_);
  Sum sum = sum_;
  for (const auto& [name, gang] : gangs_) {
    if (gang.bound > 0 && gang.bound < gang.size)
      sum.in_part.push_back(
          fmt::format("{}: {} of {}", name, gang.bound, gang.size));
  }
  return sum;
}

std::string PodJournal::NodeOf(const std::string& pod) const {
  const sql::MutexLock lock(mutex_);
  for (const auto& [uid, life] : lives_)
    if (life.name == pod) return life.node;
  return "";
}

void PodJournal::Read(std::string_view text) {
  const cluster::WatchLine line =
      cluster::ReadWatchLine(cluster::WatchedKind::kPods, text);
  const sql::MutexLock lock(mutex_);
  if (!line.resource_version.empty()) version_ = line.resource_version;
  if (line.type == cluster::WatchLine::Type::kBookmark) return;
  if (line.type == cluster::WatchLine::Type::kEvent) {
    See(*std::get<std::shared_ptr<const cluster::Pod>>(line.event.object),
        line.event.kind == cluster::WatchEvent::Kind::kDeleted);
  } else {
    sum_.violations.push_back("the journal cannot read on: " + line.message);
  }
}

void PodJournal::End(const cluster::HttpResponse& response) {
  const sql::MutexLock lock(mutex_);
  cut_off_ = response.status == 200 || response.status == 0;
  if (!cut_off_)
    sum_.violations.push_back("the journal was cut off: " + response.body);
}

void PodJournal::See(const cluster::Pod& pod, bool deleted) {
  const auto [at, fresh] = lives_.try_emplace(pod.uid);
  Life& life = at->second;
  if (fresh) {
    life.name = pod.name;
    life.cpu_milli = pod.request.resources.cpu_milli;
    ++sum_.made;
  }
  if (pod.node_name != life.node && !life.node.empty()) {
    sum_.violations.push_back("pod " + pod.name + " of node " + life.node +
                              " is on " + pod.node_name);
  } else if (pod.node_name != life.node) {
    NoteBound(pod, life);
  }
  if (deleted || cluster::HasEnded(pod)) NoteEnd(life);
}

void PodJournal::NoteBound(const cluster::Pod& pod, Life& life) {
  ++sum_.bound;
  life.node = pod.node_name;
  if (const auto node = capacity_.find(life.node); node != capacity_.end()) {
    std::int64_t& used = used_[life.node] += life.cpu_milli;
    if (used > node->second) {
      sum_.crowding.push_back(life.name);
      sum_.violations.push_back(
          fmt::format("pod {} makes {} of {} milli-cpu on node {}", life.name,
                      used, node->second, life.node));
    }
  }
  const auto name = pod.labels.find(workers::kGroupNameLabel);
  if (name == pod.labels.end()) return;
  Gang& gang = gangs_[name->second];
  const auto now = std::chrono::steady_clock::now();
  if (gang.bound++ == 0) gang.first = now;
  gang.size = std::stoi(pod.labels.at(workers::kGroupSizeLabel));
  if (gang.bound != gang.size) return;
  ++sum_.whole;
  sum_.longest_burst = std::max(
      sum_.longest_burst,
      std::chrono::duration_cast<std::chrono::milliseconds>(now - gang.first));
}

void PodJournal::NoteEnd(Life& life) {
  if (std::exchange(life.over, true)) return;
  ++sum_.ended;
  if (!life.node.empty()) used_[life.node] -= life.cpu_milli;
}

}  // namespace fluxnetes::testing
