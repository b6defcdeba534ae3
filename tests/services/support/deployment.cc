#include "tests/services/support/deployment.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cluster/devices/claim_decoder.h"
#include "cluster/json/objects.h"
#include "cluster/objects/pod_template.h"
#include "sql/connection/transaction.h"
#include "tests/support/places.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Process;
using testing::WaitUntil;

constexpr const char* kNodes =
    "nodes: [{count: 4, name: \"n\", cpu: 4, memory: 16Gi}]\n";
constexpr const char* kDevices = "/apis/resource.k8s.io/v1/";
constexpr const char* kDriver = "gpu.example.com";
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";

std::string Milliseconds(milliseconds time) {
  return std::to_string(time.count()) + "ms";
}

json JobOf(const std::string& name, const Workload& workload) {
  json metadata = {{"labels", json::object()}};
  if (workload.size > 1) {
    metadata["labels"][workers::kGroupNameLabel] = name;
    metadata["labels"][workers::kGroupSizeLabel] =
        std::to_string(workload.size);
  }
  auto& notes = metadata["annotations"];
  notes[cluster::kRunSecondsAnnotation] = fmt::format("{}", workload.seconds);
  if (workload.fail_first > 0)
    notes[cluster::kFailFirstAnnotation] = std::to_string(workload.fail_first);
  const json container = {
      {"name", "c"},
      {"image", "busybox"},
      {"resources", {{"requests", {{"cpu", std::to_string(workload.cpu)}}}}}};
  json spec = {{"parallelism", workload.size},
               {"completions", workload.size},
               {"template",
                {{"metadata", metadata},
                 {"spec",
                  {{"schedulerName", "fluxnetes"},
                   {"restartPolicy", "Never"},
                   {"containers", json::array({container})}}}}}};
  if (workload.claims)
    spec["template"]["spec"]["resourceClaims"] = {
        {{"name", "gpu"}, {"resourceClaimTemplateName", "one-gpu"}}};
  if (workload.deadline_seconds > 0)
    spec["activeDeadlineSeconds"] = workload.deadline_seconds;
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"namespace", "default"}, {"name", name}}},
          {"spec", spec}};
}

bool IsOver(const json& job) {
  for (const json& condition : job["status"].value("conditions", json::array()))
    if (condition["type"] == "Complete" || condition["type"] == "Failed")
      return true;
  return false;
}

bool RunsOn(const cluster::Pod& pod) {
  return !pod.node_name.empty() && (pod.phase == cluster::PodPhase::kPending ||
                                    pod.phase == cluster::PodPhase::kRunning);
}

std::vector<cluster::Pod> PodsOf(const json& truth) {
  std::vector<cluster::Pod> pods;
  for (const json& pod : truth["pods"]) pods.push_back(cluster::DecodePod(pod));
  return pods;
}

}  // namespace

Deployment::Deployment(sql::PoolOptions database)
    : database_(std::move(database)) {
  folder_ = std::filesystem::temp_directory_path() / "fluxnetes-kill.XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder_);
  std::ofstream(folder_ + "/nodes.yaml") << kNodes;
  sql::PoolOptions options = database_;
  options.catalogues.clear();
  options.max_connections = 1;
  options.application_name = "fluxnetes-test";
  pool_ = std::make_unique<sql::Pool>(options);
  StartCluster();
}

Deployment::~Deployment() {
  api_.reset();
  cluster_.reset();
  std::filesystem::remove_all(folder_);
}

void Deployment::StartCluster() {
  const std::string address = "unix:" + folder_ + "/api";
  cluster_ = std::make_unique<Process>(
      std::vector<std::string>{testing::BuiltProgram("services/fluxnetes"),
                               "simulated-cluster"},
      std::map<std::string, std::string>{
          {"FLUXNETES_NODES", folder_ + "/nodes.yaml"},
          {"FLUXNETES_LISTEN", address}},
      folder_ + "/log");
  if (!WaitForLog("listening on"))
    throw std::runtime_error("no simulated cluster: " + Log());
  cluster::HttpOptions options;
  options.address = address;
  options.connections = 2;
  api_ = std::make_unique<cluster::HttpClient>(options);
}

std::unique_ptr<Process> Deployment::Serve(
    const std::map<std::string, std::string>& environment) {
  std::map<std::string, std::string> all = {
      {"FLUXNETES_DATABASE", database_.connection},
      {"FLUXNETES_SCHEMA", database_.schema},
      {"FLUXNETES_CLUSTER_KIND", "api"},
      {"FLUXNETES_CLUSTER", "unix:" + folder_ + "/api"},
      {"FLUXNETES_CLIENT_TTL", Milliseconds(kTimeToLive)},
      {"FLUXNETES_CLIENT_HEARTBEAT", Milliseconds(kTimeToLive / 8)},
      {"FLUXNETES_MAX_CONNECTIONS", "8"},
      {"FLUXNETES_SHUTDOWN_GRACE", "60s"},
      {"FLUXNETES_HTTP_LISTEN", "off"},  // several run on one machine
      {"FLUXNETES_LOG_FORMAT", "text"}};
  for (const auto& [name, value] : environment) all[name] = value;
  return std::make_unique<Process>(
      std::vector<std::string>{testing::BuiltProgram("services/fluxnetes"),
                               "serve"},
      all, folder_ + "/log");
}

std::unique_ptr<Process> Deployment::ServeWithFailpoint(
    const std::string& failpoint) {
  return Serve({{"FLUXNETES_FAILPOINT", failpoint}});
}

void Deployment::Submit(const std::string& name, const Workload& workload) {
  if (workload.size > 1) gangs_[name] = workload.size;
  SubmitJson(kJobs, JobOf(name, workload));
}

void Deployment::PublishDevices() {
  if (std::exchange(has_devices_, true)) return;
  const auto post = [this](const std::string& path, const std::string& name,
                           const json& spec) {
    SubmitJson(kDevices + path,
               {{"metadata", {{"name", name}}}, {"spec", spec}});
  };
  post("deviceclasses", "gpu",
       {{"selectors",
         {{{"cel",
            {{"expression",
              fmt::format("device.driver == \"{}\"", kDriver)}}}}}}});
  for (const char* const node : {"n0", "n1", "n2", "n3"})
    post("resourceslices", fmt::format("{}-gpus", node),
         {{"driver", kDriver},
          {"nodeName", node},
          {"pool",
           {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
          {"devices", {{{"name", "gpu-0"}}, {{"name", "gpu-1"}}}}});
  const json request = {{"name", "gpu"},
                        {"exactly", {{"deviceClassName", "gpu"}}}};
  post("namespaces/default/resourceclaimtemplates", "one-gpu",
       {{"spec", {{"devices", {{"requests", json::array({request})}}}}}});
}

std::vector<cluster::ResourceClaim> Deployment::Claims() {
  const auto answer =
      api_->Send({.path = std::string(kDevices) + "resourceclaims"});
  if (!answer.Succeeded())
    throw std::runtime_error("no claims: " + answer.error + answer.body);
  std::vector<cluster::ResourceClaim> claims;
  for (const json& claim : json::parse(answer.body)["items"])
    claims.push_back(cluster::DecodeResourceClaim(claim));
  return claims;
}

void Deployment::SubmitMixed(const std::string& prefix) {
  PublishDevices();
  json refused = JobOf(prefix + "-refused", {.size = 2});
  refused["spec"]["template"]["metadata"]["labels"][workers::kGroupSizeLabel] =
      "ten";
  SubmitJson(kJobs, refused);
  Submit(prefix + "-wide", {.size = 12});
  for (int i = 0; i < 3; ++i) {
    Submit(fmt::format("{}-gang{}", prefix, i), {.size = 4});
    Submit(fmt::format("{}-one{}", prefix, i), {});
  }
  Submit(prefix + "-whole", {.size = 4, .cpu = 4});
  Submit(prefix + "-gpus", {.size = 5, .claims = true});
  Submit(prefix + "-again", {.fail_first = 1});
  Submit(prefix + "-late", {.seconds = 30, .deadline_seconds = 1});
}

void Deployment::SubmitPods(const std::string& name, int size, int count) {
  gangs_[name] = size;
  int& submitted = bare_pods_[name];
  const int end = count == 0 ? size : submitted + count;
  for (int i = std::exchange(submitted, end); i < end; ++i) {
    json pod = JobOf(name, {.size = size})["spec"]["template"];
    pod["metadata"]["namespace"] = "default";
    pod["metadata"]["name"] = fmt::format("{}-{}", name, i);
    SubmitJson("/api/v1/namespaces/default/pods", pod);
  }
}

void Deployment::TearAGang() {
  SetFaults({{"requests",
              {{{"status", 503},
                {"count", 1'000'000},
                {"method", "POST"},
                {"path", "/binding"}}}}});
  Submit("torn", {.size = 3});
  std::string member;
  const bool allocated = WaitUntil(kPatience, [&] {
    member =
        Ask("SELECT pod_name FROM pods JOIN pod_groups AS g ON g.id = group_id "
            "WHERE group_name = 'torn' AND g.state = 'allocated' LIMIT 1");
    return !member.empty();
  });
  if (!allocated) throw std::runtime_error("no gang to tear: " + Log());
  Delete("/api/v1/namespaces/default/pods/" + member);
}

void Deployment::SubmitJson(const std::string& path, const json& object) {
  const auto answer =
      api_->Send({.method = "POST", .path = path, .body = object.dump()});
  if (!answer.Succeeded())
    throw std::runtime_error("POST " + path + ": " + answer.error +
                             answer.body);
}

void Deployment::Delete(const std::string& path) {
  const auto answer = api_->Send({.method = "DELETE", .path = path});
  if (!answer.Succeeded())
    throw std::runtime_error("DELETE " + path + ": " + answer.body);
}

void Deployment::Cordon(bool cordoned) {
  const json patch = {{"spec", {{"unschedulable", cordoned}}}};
  const json truth = Truth();
  for (const json& node : truth["nodes"]) {
    const auto answer = api_->Send(
        {.method = "PATCH",
         .path = "/api/v1/nodes/" + node["metadata"]["name"].get<std::string>(),
         .body = patch.dump(),
         .content_type = "application/merge-patch+json"});
    if (!answer.Succeeded()) throw std::runtime_error("PATCH: " + answer.body);
  }
}

void Deployment::SetFaults(const json& faults) {
  SubmitJson("/simulation/faults", faults);
}

json Deployment::Truth() {
  const auto answer = api_->Send({.path = "/simulation/truth"});
  if (!answer.Succeeded())
    throw std::runtime_error("no truth: " + answer.error + answer.body);
  return json::parse(answer.body);
}

std::size_t Deployment::Bindings() { return Truth()["bindings"].size(); }

bool Deployment::WaitForEnd(seconds patience) {
  return WaitUntil(patience, [this] {
    const json truth = Truth();
    for (const json& job : truth["jobs"]) {
      const auto name = job["metadata"]["name"].get<std::string>();
      if (!name.ends_with("-refused") && !IsOver(job)) return false;
    }
    return Leftovers().empty();
  });
}

std::string Deployment::Violations() {
  std::string wrong;
  const json truth = Truth();
  std::map<std::string, int> times;
  for (const json& binding : truth["bindings"])
    if (++times[binding["uid"]] > 1)
      wrong += fmt::format("pod {} was bound twice\n", binding["uid"].dump());
  std::map<std::string, cluster::Resources> used;
  for (const cluster::Pod& pod : PodsOf(truth)) {
    if (pod.reason.starts_with("OutOf"))
      wrong += fmt::format("pod {}: {}\n", pod.name, pod.reason);
    if (RunsOn(pod)) used[pod.node_name] += pod.request.resources;
  }
  for (const json& object : truth["nodes"]) {
    const cluster::Node node = cluster::DecodeNode(object);
    if (!node.allocatable.Holds(used[node.name]))
      wrong += fmt::format("node {} is over-committed: {}\n", node.name,
                           cluster::Format(used[node.name]));
  }
  std::map<matcher::DeviceId, std::string> owners;
  for (const cluster::ResourceClaim& claim : Claims()) {
    if (!claim.allocation) continue;
    for (const matcher::AllocatedDevice& each : claim.allocation->devices) {
      const auto [owner, first] = owners.emplace(each.id, claim.name);
      if (!first)
        wrong += fmt::format("device {}/{} is given to the claims {} and {}\n",
                             each.id.pool, each.id.device, owner->second,
                             claim.name);
    }
  }
  return wrong;
}

std::string Deployment::ViolationsAtEnd() {
  std::string wrong = Violations();
  for (const cluster::ResourceClaim& claim : Claims())
    if (claim.allocation)
      wrong += fmt::format("claim {} has devices for nobody\n", claim.name);
  std::map<std::string, int> whole;
  std::set<std::string> nodes;
  for (const cluster::Pod& pod : PodsOf(Truth())) {
    if (pod.node_name.empty()) continue;
    nodes.insert(pod.name + " " + pod.node_name);
    const auto label = pod.labels.find(workers::kGroupNameLabel);
    if (label != pod.labels.end()) ++whole[label->second];
  }
  for (const auto& [name, size] : gangs_)
    if (whole[name] != size)
      wrong += fmt::format("gang {}: {} of {} pods were bound\n", name,
                           whole[name], size);
  std::istringstream recorded(
      Ask("SELECT string_agg((pod ->> 'name') || ' ' || (pod ->> 'node'), "
          "E'\\n') FROM group_history, jsonb_array_elements(pods) AS pod"));
  std::map<std::string, int> history;
  for (std::string line; std::getline(recorded, line);) ++history[line];
  for (const std::string& pod : nodes)
    if (history[pod] != 1)
      wrong += fmt::format("history has pod {} {} times\n", pod, history[pod]);
  if (!wrong.empty())
    wrong += "history: " +
             Ask("SELECT string_agg(h::text, E'\\n') "
                 "FROM group_history AS h") +
             "\n";
  const std::string discarded =
      Ask("SELECT count(*) FROM jobs_finished WHERE state = 'discarded'");
  if (discarded != "0") wrong += discarded + " jobs were discarded\n";
  return wrong;
}

std::string Deployment::Leftovers() {
  return Ask(
      "SELECT coalesce(string_agg(name || ' ' || rows, ', '), '') FROM ("
      "SELECT 'jobs' AS name, count(*) AS rows FROM jobs "
      "UNION ALL SELECT 'pod_groups', count(*) FROM pod_groups "
      "UNION ALL SELECT 'pods', count(*) FROM pods "
      "UNION ALL SELECT 'allocations', count(*) FROM allocations "
      "UNION ALL SELECT 'placements', count(*) FROM placements "
      "UNION ALL SELECT 'reservations', count(*) FROM reservations "
      "UNION ALL SELECT 'match_inbox', count(*) FROM match_inbox "
      "UNION ALL SELECT 'pods_provisional', count(*) FROM pods_provisional "
      "WHERE refused IS NULL) AS held WHERE rows > 0");
}

std::string Deployment::Ask(const std::string& question) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    try {
      sql::Transaction transaction(*pool_);
      const sql::Result result = transaction.RunScript(question);
      transaction.Commit();
      if (result.empty()) return "";
      return result[0].Find<std::string>(0).value_or("");
    } catch (const sql::Error&) {
      if (std::chrono::steady_clock::now() > until) throw;
      testing::PauseBetweenLooks();
    }
  }
}

std::string Deployment::Log() const {
  std::ifstream in(folder_ + "/log");
  return {std::istreambuf_iterator<char>(in), {}};
}

bool Deployment::WaitForLog(const std::string& words, std::size_t from,
                            seconds patience) {
  return WaitUntil(
      patience, [&] { return Log().find(words, from) != std::string::npos; });
}

}  // namespace fluxnetes::services
