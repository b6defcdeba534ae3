#include "tests/kubernetes/support/kube_test.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cluster/files/manifest.h"
#include "cluster/json/objects.h"
#include "cluster/text/yaml_document.h"
#include "tests/invariants/invariants.h"
#include "tests/kubernetes/support/kube_scene.h"
#include "tests/kubernetes/support/pod_journal.h"
#include "tests/support/places.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::testing {
namespace {

using Json = nlohmann::json;
using std::chrono::seconds;

constexpr seconds kPatience{90};
// A test that has failed already waits less for what comes after, which may
// never come.
constexpr seconds kPatienceAfterFailure{15};

constexpr std::size_t kLongestLabelValue = 63;

// Where kinds and resources are: {kind, API, resource}.
struct KindPlace {
  const char* kind;
  const char* api;
  const char* resource;
};
constexpr KindPlace kPlaces[] = {
    {"Pod", "/api/v1", "pods"},
    {"Event", "/api/v1", "events"},
    {"PersistentVolumeClaim", "/api/v1", "persistentvolumeclaims"},
    {"Job", "/apis/batch/v1", "jobs"},
    {"CronJob", "/apis/batch/v1", "cronjobs"},
    {"Deployment", "/apis/apps/v1", "deployments"},
    {"ReplicaSet", "/apis/apps/v1", "replicasets"},
    {"StatefulSet", "/apis/apps/v1", "statefulsets"},
    {"ResourceClaim", "/apis/resource.k8s.io/v1", "resourceclaims"},
    {"ResourceClaimTemplate", "/apis/resource.k8s.io/v1",
     "resourceclaimtemplates"},
    {"JobSet", "/apis/jobset.x-k8s.io/v1alpha2", "jobsets"},
};

std::string CollectionOf(const KindPlace& place,
                         const std::string& name_space) {
  return std::string(place.api) + "/namespaces/" + name_space + "/" +
         place.resource;
}

// Of a kind or a resource.
const KindPlace& KindPlaceOf(const std::string& name) {
  for (const KindPlace& place : kPlaces)
    if (name == place.kind || name == place.resource) return place;
  throw std::runtime_error("no place for " + name);
}

std::string FreshName() {
  static int count = 0;
  return "kube" + std::to_string(++count);
}

bool IsReady(const cluster::Node& node) {
  return node.ready && node.taints.empty();
}

}  // namespace

void OnKubernetes::SetUp() {
  plane_ = ControlPlane::Get();
  if (plane_ == nullptr) GTEST_SKIP() << ControlPlane::WhyNone();
  home_ = AddNamespace();
  AddNodes({Node(0), Node(1)});
  database_ = std::make_unique<TestDatabase>(
      /*migrated=*/true, postgres_.empty() ? TestServer() : postgres_);
  log_ = plane_->folder() + "/" + home_ + ".log";
  if (starts_) StartScheduler();
}

void StoppedHalfway::SetUp() {
#ifdef FLUXNETES_FAULTS
  OnKubernetes::SetUp();
#else
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
}

void OnKubernetes::TearDown() {
  if (plane_ == nullptr) return;
  if (!HasFailure()) ExpectInvariants();
  if (!HasFailure()) ExpectNothingLeft();
  EXPECT_TRUE(HasFailure() || plants_differences_ || Differences().empty())
      << Differences();
  if (scheduler_) StopScheduler();
  DeleteAll();
  for (const std::string& node : nodes_)
    Send("DELETE", "/api/v1/nodes/" + node);
  if (!HasFailure()) return;
  ADD_FAILURE() << "the scheduler said:\n"
                << Log() << "\nthe control plane:\n"
                << plane_->Report();
}

int OnKubernetes::Command(const std::vector<std::string>& words) {
  std::vector<std::string> command{BuiltProgram("services/fluxnetes")};
  command.insert(command.end(), words.begin(), words.end());
  Process process(command, DatabaseSettings(), log_);
  return process.WaitForEnd(kPatience).value_or(-1);
}

std::map<std::string, std::string> OnKubernetes::DatabaseSettings() const {
  return {{"FLUXNETES_DATABASE", database_->options().connection},
          {"FLUXNETES_SCHEMA", database_->schema()}};
}

std::unique_ptr<Process> OnKubernetes::Serve(
    const std::map<std::string, std::string>& environment) {
  std::map<std::string, std::string> all = DatabaseSettings();
  const std::map<std::string, std::string> serves = {
      {"FLUXNETES_CLUSTER_KIND", "api"},
      {"FLUXNETES_HTTP_LISTEN", "off"},  // several run on one machine
      {"FLUXNETES_KUBECONFIG", plane_->kubeconfig()},
      {"FLUXNETES_MAX_CONNECTIONS", "8"},
      {"FLUXNETES_RESYNC_INTERVAL", "1s"},
      {"FLUXNETES_SHUTDOWN_GRACE", "60s"},
      {"FLUXNETES_LOG_FORMAT", "text"}};
  all.insert(serves.begin(), serves.end());
  for (const auto& [name, value] : environment) all[name] = value;
  return std::make_unique<Process>(
      std::vector<std::string>{BuiltProgram("services/fluxnetes"), "serve"},
      all, log_);
}

void OnKubernetes::StartScheduler(
    const std::map<std::string, std::string>& environment) {
  scheduler_.reset();
  scheduler_ = Serve(environment);
}

void OnKubernetes::StopScheduler() {
  scheduler_->Signal(SIGTERM);
  EXPECT_EQ(scheduler_->WaitForEnd(kPatience), 0);
  scheduler_.reset();
}

std::string OnKubernetes::AddNamespace() {
  std::string name = FreshName();
  Send("POST", "/api/v1/namespaces",
       {{"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata", {{"name", name}}}});
  // Without it the API server takes no pods.
  EXPECT_TRUE(Comes([&] {
    return plane_->api()
        .Send(
            {.path = "/api/v1/namespaces/" + name + "/serviceaccounts/default"})
        .Succeeded();
  }));
  namespaces_.push_back(name);
  return name;
}

void OnKubernetes::Submit(const std::string& manifests,
                          const std::string& name_space) {
  cluster::ReadYaml(manifests, "manifest", [&](const Json& object, int) {
    const std::string kind = object.at("kind");
    Send("POST", CollectionOf(KindPlaceOf(kind), name_space), object);
  });
}

Json OnKubernetes::Send(const std::string& method, const std::string& path,
                        const Json& body, const std::string& content_type) {
  const auto answer =
      plane_->api().Send({.method = method,
                          .path = path,
                          .body = body.is_null() ? "" : body.dump(),
                          .content_type = content_type});
  EXPECT_TRUE(answer.Succeeded())
      << method << " " << path << ": " << answer.error << answer.body;
  return Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
}

std::string OnKubernetes::Path(const std::string& what) const {
  const auto slash = what.find('/');
  if (what.starts_with("nodes/")) return "/api/v1/" + what;
  return CollectionOf(KindPlaceOf(what.substr(0, slash)), home_) +
         (slash == what.npos ? "" : what.substr(slash));
}

void OnKubernetes::Delete(const std::string& what) {
  Send("DELETE", Path(what),
       {{"kind", "DeleteOptions"},
        {"apiVersion", "v1"},
        {"propagationPolicy", "Background"}});
}

std::vector<cluster::Pod> OnKubernetes::Pods() {
  std::vector<cluster::Pod> pods;
  for (const std::string& name_space : namespaces_) {
    const Json list = Send("GET", CollectionOf(KindPlaceOf("Pod"), name_space));
    for (const Json& object : list.at("items")) {
      auto pod = cluster::DecodePod(object);
      if (pod.scheduler_name == "fluxnetes") pods.push_back(std::move(pod));
    }
  }
  std::ranges::stable_sort(pods, {}, &cluster::Pod::created_at);
  return pods;
}

std::vector<cluster::Pod> OnKubernetes::PodsOf(const std::string& group) {
  auto pods = Pods();
  std::erase_if(pods, [&](const cluster::Pod& pod) {
    const auto label = pod.labels.find(workers::kGroupNameLabel);
    return label == pod.labels.end() || label->second != group;
  });
  return pods;
}

int OnKubernetes::Bound(const std::string& group) {
  return static_cast<int>(std::ranges::count_if(
      PodsOf(group),
      [](const cluster::Pod& pod) { return !pod.node_name.empty(); }));
}

cluster::Pod OnKubernetes::PodNamed(const std::string& name) {
  return cluster::DecodePod(Get("pods/" + name));
}

void OnKubernetes::EndPod(const std::string& name, bool well) {
  // Before it runs, KWOK would have it run all the same.
  EXPECT_TRUE(Comes([&] {
    return PodNamed(name).phase == cluster::PodPhase::kRunning;
  })) << name;
  Patch("pods/" + name + "/status",
        {{"status", {{"phase", well ? "Succeeded" : "Failed"}}}});
}

void OnKubernetes::EndGroup(const std::string& group) {
  for (const cluster::Pod& pod : PodsOf(group)) {
    if (!pod.node_name.empty() && !cluster::HasEnded(pod)) EndPod(pod.name);
  }
}

void OnKubernetes::AddNodes(const std::vector<std::string>& names, int cpu) {
  for (const std::string& name : names) {
    nodes_.insert(name);
    Send(
        "POST", "/api/v1/nodes",
        {{"apiVersion", "v1"},
         {"kind", "Node"},
         {"metadata",
          {{"name", name},
           {"labels",
            {{"kubernetes.io/hostname", name.substr(0, kLongestLabelValue)}}}}},
         {"status",
          {{"capacity",
            {{"cpu", std::to_string(cpu)},
             {"memory", "16Gi"},
             {"pods", "110"}}}}}});
  }
  for (const std::string& name : names) {
    EXPECT_TRUE(Comes(
        [&] { return IsReady(cluster::DecodeNode(Get("nodes/" + name))); }));
  }
}

std::unique_ptr<PodJournal> OnKubernetes::JournalOf(int nodes) {
  std::map<std::string, std::int64_t> capacity;
  std::vector<std::string> missing;
  for (int i = 0; i < nodes; ++i) {
    if (!nodes_.contains(Node(i))) missing.push_back(Node(i));
    capacity[Node(i)] = 4'000;
  }
  AddNodes(missing);
  return std::make_unique<PodJournal>(plane().api(), home_, capacity);
}

void OnKubernetes::AddUnmanaged(const std::string& name,
                                const std::string& node, int cpu) {
  Submit(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}}}
spec: {{nodeName: {}, containers: [{{name: other, image: other,
  resources: {{requests: {{cpu: "{}"}}}}}}]}}
)",
                     name, node, cpu));
}

std::string OnKubernetes::StateOf(const std::string& group) {
  return Ask(fmt::format(
      "SELECT state FROM (SELECT id, state FROM pod_groups WHERE namespace = "
      "'{0}' AND group_name = '{1}' UNION ALL SELECT group_id, result FROM "
      "group_history WHERE namespace = '{0}' AND group_name = '{1}') AS g "
      "ORDER BY id DESC LIMIT 1",
      home_, group));
}

std::string OnKubernetes::ReasonOf(const std::string& group) {
  return Ask(fmt::format(
      "SELECT coalesce(nullif(reason, 'queued'), '') FROM pending WHERE "
      "namespace = '{}' AND group_name = '{}'",
      home_, group));
}

std::vector<Json> OnKubernetes::EventsOf(const std::string& pod,
                                         const std::string& reason) {
  std::vector<Json> events;
  const Json list = Get("events");
  for (const Json& event : list.at("items"))
    if (event["involvedObject"]["name"] == pod && event["reason"] == reason)
      events.push_back(event);
  return events;
}

std::size_t OnKubernetes::EventsOfGroup(const std::string& group,
                                        const std::string& words) {
  std::size_t count = 0;
  for (const cluster::Pod& pod : PodsOf(group))
    for (const Json& event : EventsOf(pod.name, "FailedScheduling"))
      if (event["message"].get<std::string>().find(words) != std::string::npos)
        ++count;
  return count;
}

Json OnKubernetes::ConditionOf(const std::string& pod,
                               const std::string& type) {
  const Json object = Get("pods/" + pod);
  for (const Json& condition :
       object["status"].value("conditions", Json::array()))
    if (condition["type"] == type) return condition;
  return {};
}

bool OnKubernetes::IsLong() {
  return std::getenv("FLUXNETES_TEST_LONG") != nullptr;
}

bool OnKubernetes::Comes(const std::function<bool()>& condition) {
  const bool lost = HasFailure();
  const auto until = std::chrono::steady_clock::now() +
                     (lost ? kPatienceAfterFailure : kPatience);
  for (int pauses = 1;; pauses = std::min(pauses + 1, 10)) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() > until) return false;
    for (int i = 0; i < pauses; ++i) PauseBetweenLooks();
  }
}

bool OnKubernetes::Comes(const std::string& group, const std::string& state) {
  return Comes([&] { return StateOf(group) == state; });
}

bool OnKubernetes::Waits(const std::string& group) {
  return Comes(
      [&] { return StateOf(group) == "pending" && !ReasonOf(group).empty(); });
}

bool OnKubernetes::HearsOfCordon(const std::string& node) {
  return Comes([&] {
    return Ask("SELECT count(unschedulable) FROM nodes WHERE node_name = '" +
               node + "'") == "1";
  });
}

void OnKubernetes::ExpectInvariants() {
  KubeScene scene(plane_->api(), database_->pool(), bound_by_others_);
  std::vector<std::string> wrong;
  // What is said once may be under way to the scheduler.
  if (Comes([&] { return (wrong = Invariants({}).Check(scene)).empty(); }))
    return;
  for (const std::string& violation : wrong) ADD_FAILURE() << violation;
}

std::string OnKubernetes::Differences() {
  return Ask(
      "SELECT coalesce(string_agg(kind || ' ' || found || ': ' || "
      "names::text, '; ' ORDER BY kind), '') FROM resync_differences");
}

std::string OnKubernetes::Leftovers() {
  std::string left;
  for (const char* table :
       {"pods_provisional", "groups_provisional", "pods", "pod_groups",
        "allocations", "placements", "reservations", "match_inbox",
        "growth_inbox", "jobs"}) {
    const auto rows = Ask(std::string("SELECT count(*) FROM ") + table);
    if (rows != "0") left += rows + " rows in " + table + "\n";
  }
  return left + Ask("SELECT coalesce(string_agg(concat_ws(' ', queue, kind, "
                    "state, attempt, args), E'\\n'), '') FROM jobs");
}

void OnKubernetes::ExpectNothingLeft() {
  DeleteAll();
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
}

void OnKubernetes::DeleteAll() {
  for (const std::string& name_space : namespaces_) {
    // What controls others first.
    for (const char* kind :
         {"CronJob", "Deployment", "StatefulSet", "ReplicaSet", "Job", "Pod"}) {
      Send("DELETE", CollectionOf(KindPlaceOf(kind), name_space) +
                         "?propagationPolicy=Background");
    }
  }
  EXPECT_TRUE(Comes([&] {
    for (const std::string& name_space : namespaces_) {
      const std::string pods = CollectionOf(KindPlaceOf("Pod"), name_space);
      if (Send("GET", pods).at("items").empty()) continue;
      Send("DELETE", pods + "?propagationPolicy=Background");
      return false;
    }
    return true;
  }));
}

std::string OnKubernetes::Log() const {
  std::ifstream in(log_);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace fluxnetes::testing
