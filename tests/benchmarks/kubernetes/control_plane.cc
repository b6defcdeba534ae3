#include "tests/benchmarks/kubernetes/control_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unordered_set>

#include "cluster/json/objects.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"
#include "tests/support/places.h"

namespace fluxnetes::benchmarks {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using testing::Quoted;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kHostnameLabel = "kubernetes.io/hostname";
constexpr const char* kPodGroups =
    "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups";
constexpr seconds kStartPatience{300};

const std::string kScript = testing::SourcePath("hack/cluster");

std::string GangOf(const std::string& prefix, int pod, int size) {
  return prefix + "gang" + std::to_string(pod / size);
}

json PodOf(const std::string& prefix, int number, const PodShape& shape) {
  json metadata = {{"name", prefix + std::to_string(number)},
                   {"namespace", "default"}};
  json spec = {
      {"schedulerName", shape.scheduler},
      {"terminationGracePeriodSeconds", 0},
      {"containers",
       {{{"name", "c"},
         {"image", "busybox"},
         {"resources",
          {{"requests", {{"cpu", shape.cpu}, {"memory", "64Mi"}}}}}}}}};
  if (shape.gang > 1) {
    const std::string gang = GangOf(prefix, number, shape.gang);
    if (shape.native_gang) {
      spec["schedulingGroup"] = {{"podGroupName", gang}};
    } else {
      metadata["labels"] = {
          {"fluxnetes.group-name", gang},
          {"fluxnetes.group-size", std::to_string(shape.gang)}};
    }
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata},
          {"spec", spec}};
}

cluster::HttpRequest Post(const std::string& path, const json& object) {
  cluster::HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.body = object.dump();
  request.attempt_timeout = request.deadline = kStartPatience;
  return request;
}

void Expect(const cluster::HttpResponse& response, const std::string& what) {
  if (response.Succeeded()) return;
  throw std::runtime_error(what + ": " + std::to_string(response.status) + " " +
                           response.error + response.body.substr(0, 300));
}

}  // namespace

ControlPlane::ControlPlane(std::string folder, int nodes)
    : folder_(std::move(folder)),
      down_(fmt::format("{} down {}", Quoted(kScript), Quoted(folder_))) {
  testing::RunScript(fmt::format("POD_GROUPS=1 {} up {} {}", Quoted(kScript),
                                 Quoted(folder_), nodes));
  const auto files = cluster::LoadKubeconfigFiles(kubeconfig());
  cluster::ApiAccess access = cluster::ReadKubeconfig(files, "");
  access_.address = access.address;
  access_.tls = access.tls;
  access_.credentials = access.credentials;
  api_ = std::make_unique<cluster::HttpClient>(access_);
}

// Stops it before the folder is removed, by which the script finds its
// processes.
ControlPlane::~ControlPlane() {
  testing::TryScript(
      fmt::format("{} down {}", Quoted(kScript), Quoted(folder_)));
}

void ControlPlane::AddNodes(const std::string& name, int count, int cpu) {
  std::vector<cluster::HttpRequest> requests;
  for (int i = 0; i < count; ++i) {
    const std::string node = name + std::to_string(i);
    requests.push_back(Post(
        kNodes,
        {{"apiVersion", "v1"},
         {"kind", "Node"},
         {"metadata", {{"name", node}, {"labels", {{kHostnameLabel, node}}}}},
         {"status",
          {{"capacity",
            {{"cpu", std::to_string(cpu)},
             {"memory", "16Gi"},
             {"pods", "110"}}}}}}));
  }
  for (const auto& response : api_->SendAll(std::move(requests)))
    Expect(response, "creating a node");
  const auto is_ready = [](const json& object) {
    const cluster::Node node = cluster::DecodeNode(object);
    return node.ready && node.taints.empty();
  };
  while (true) {
    const auto response = api_->Send({.path = kNodes});
    Expect(response, "listing nodes");
    const json nodes = json::parse(response.body).at("items");
    if (std::all_of(nodes.begin(), nodes.end(), is_ready)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void ControlPlane::CreatePodGroups(const std::string& prefix, int count,
                                   int size) {
  std::vector<cluster::HttpRequest> requests;
  for (int pod = 0; pod < count; pod += size) {
    requests.push_back(Post(
        kPodGroups,
        {{"apiVersion", "scheduling.k8s.io/v1alpha2"},
         {"kind", "PodGroup"},
         {"metadata", {{"name", GangOf(prefix, pod, size)}}},
         {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", size}}}}}}}}));
  }
  for (const auto& response : api_->SendAll(std::move(requests)))
    Expect(response, "creating a PodGroup");
}

std::vector<CreatedPod> ControlPlane::Create(const std::string& prefix,
                                             int count, const PodShape& shape) {
  if (shape.native_gang) CreatePodGroups(prefix, count, shape.gang);
  std::vector<cluster::HttpRequest> requests;
  requests.reserve(count);
  for (int i = 0; i < count; ++i)
    requests.push_back(Post(kPods, PodOf(prefix, i, shape)));
  std::vector<CreatedPod> created;
  for (const auto& response : api_->SendAll(std::move(requests))) {
    Expect(response, "creating a pod");
    const json metadata = json::parse(response.body).at("metadata");
    created.push_back({metadata.at("name"), metadata.at("uid"),
                       metadata.at("resourceVersion")});
  }
  return created;
}

void ControlPlane::Delete(const std::vector<CreatedPod>& pods) {
  std::vector<cluster::HttpRequest> requests;
  for (const CreatedPod& pod : pods) {
    cluster::HttpRequest& request = requests.emplace_back();
    request.method = "DELETE";
    request.path =
        std::string(kPods) + "/" + pod.name + "?gracePeriodSeconds=0";
  }
  for (const auto& response : api_->SendAll(std::move(requests)))
    Expect(response, "deleting a pod");
}

void ControlPlane::DeleteAll() {
  for (const char* const path : {kPods, kPodGroups}) {
    cluster::HttpRequest request;
    request.method = "DELETE";
    request.path = std::string(path) + "?gracePeriodSeconds=0";
    request.attempt_timeout = request.deadline = kStartPatience;
    const auto response = api_->Send(std::move(request));
    if (response.status != 404) Expect(response, "deleting all");
  }
  while (true) {
    const auto left = api_->Send({.path = std::string(kPods) + "?limit=1"});
    Expect(left, "listing");
    if (json::parse(left.body).at("items").empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string ControlPlane::Version() {
  const auto response = api_->Send({.path = std::string(kPods) + "?limit=1"});
  Expect(response, "listing");
  return json::parse(response.body).at("metadata").at("resourceVersion");
}

double ControlPlane::Counter(const std::string& name,
                             const std::vector<std::string>& words) {
  const auto response = api_->Send({.path = "/metrics"});
  Expect(response, "reading metrics");
  std::istringstream lines(response.body);
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + "{")) continue;
    bool all = true;
    for (const std::string& word : words)
      all = all && line.find(word) != std::string::npos;
    if (all) sum += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

// Searches for words instead of parsing JSON, to take little of the measured
// machine's time; the server ends watches that are too slow.
class BindingWatch::Reader final : public cluster::StreamReader {
 public:
  Reader(std::string prefix, std::string version)
      : mark_("\"name\":\"" + prefix), version_(std::move(version)) {}

  bool Ready() override { return true; }
  void End(cluster::HttpResponse response) override {
    const sql::MutexLock lock(mutex_);
    ended_ = true;
    if (response.status != 200) version_.clear();
    more_.NotifyAll();
  }
  void Line(std::string_view line) override {
    const auto now = std::chrono::steady_clock::now();
    const sql::MutexLock lock(mutex_);
    version_ = ValueAfter(line, "\"resourceVersion\":\"");
    if (line.find("\"nodeName\":\"") == std::string_view::npos) return;
    const std::string name = ValueAfter(line, mark_);
    if (name.empty()) return;
    if (line.find("\"phase\":\"Running\"") != std::string_view::npos)
      running_.insert(name);
    if (seen_.insert(name).second) times_.push_back(now);
    more_.NotifyAll();
  }

  // Return when `count` were seen, the time is over, or the stream ended; false
  // in the last case.
  bool WaitBound(std::size_t count, SteadyTime until) {
    const sql::MutexLock lock(mutex_);
    while (times_.size() < count && !ended_ && more_.WaitUntil(mutex_, until)) {
    }
    return times_.size() >= count || SteadyTime::clock::now() >= until;
  }
  bool WaitRunning(std::size_t count, SteadyTime until) {
    const sql::MutexLock lock(mutex_);
    while (running_.size() < count && !ended_ &&
           more_.WaitUntil(mutex_, until)) {
    }
    return running_.size() >= count || SteadyTime::clock::now() >= until;
  }
  std::vector<SteadyTime> Times() {
    const sql::MutexLock lock(mutex_);
    return times_;
  }
  // The version to resume from; empty: all existing pods come first.
  std::string Begin() {
    const sql::MutexLock lock(mutex_);
    ended_ = false;
    return version_;
  }

 private:
  static std::string ValueAfter(std::string_view line, std::string_view mark) {
    const auto at = line.find(mark);
    if (at == std::string_view::npos) return "";
    const auto from = at + mark.size();
    return std::string(line.substr(from, line.find('"', from) - from));
  }

  const std::string mark_;
  sql::Mutex mutex_;
  sql::ConditionVariable more_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::string version_ GUARDED_BY(mutex_);  // as of the last line
  std::unordered_set<std::string> seen_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> running_ GUARDED_BY(mutex_);
  std::vector<SteadyTime> times_ GUARDED_BY(mutex_);
};

BindingWatch::BindingWatch(ControlPlane& plane, std::string prefix,
                           std::string version)
    : reader_(std::make_unique<Reader>(std::move(prefix), std::move(version))),
      client_(plane.access()) {
  Open();
}

BindingWatch::~BindingWatch() { stream_.reset(); }

void BindingWatch::Open() {
  stream_.reset();
  std::string path = std::string(kPods) + "?watch=true";
  const std::string version = reader_->Begin();
  if (!version.empty()) path += "&resourceVersion=" + version;
  stream_ = client_.Open(std::move(path), kStartPatience, *reader_);
}

std::vector<SteadyTime> BindingWatch::WaitFor(std::size_t count,
                                              seconds patience) {
  const auto until = SteadyTime::clock::now() + patience;
  while (!reader_->WaitBound(count, until)) Open();
  return reader_->Times();
}

void BindingWatch::WaitUntilRunning(std::size_t count, seconds patience) {
  const auto until = SteadyTime::clock::now() + patience;
  while (!reader_->WaitRunning(count, until)) Open();
}

}  // namespace fluxnetes::benchmarks
