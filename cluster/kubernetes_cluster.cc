#include "cluster/kubernetes_cluster.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/api_path.h"
#include "cluster/json_field.h"
#include "cluster/object_writer.h"
#include "cluster/objects.h"
#include "cluster/watch_line.h"

namespace fluxnetes::cluster {

namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kStrategicPatch =
    "application/strategic-merge-patch+json";
constexpr int kHighestOwner = 10;  // controllers above one another
constexpr int kTouchAttempts = 5;
constexpr int kInvalid = 422;

Time Now() {
  return std::chrono::time_point_cast<Time::duration>(
      std::chrono::system_clock::now());
}

// Another one each time, in this process and after a restart of it.
std::string UniqueMark() {
  static std::atomic<std::uint64_t> next =
      static_cast<std::uint64_t>(Now().time_since_epoch().count());
  char text[17] = {};
  const auto end = std::to_chars(text, text + 16, next++, 16).ptr;
  return {text, end};
}

// The same for the same pod, so that a second event has the name of the first
// and is refused.
std::string MarkOf(const std::string& uid) {
  std::string mark;
  std::ranges::copy_if(uid, std::back_inserter(mark),
                       [](char letter) { return letter != '-'; });
  return mark.substr(0, 16);
}

// No answer that means anything: nobody there, overloaded, failing.
bool IsAway(const HttpResponse& response) {
  return response.status == 0 || response.status == 429 ||
         response.status >= 500;
}

[[noreturn]] void ThrowUnreachable(const std::string& what,
                                   const HttpResponse& response) {
  if (response.status == 0) throw Unreachable(what + ": " + response.error);
  throw Unreachable(what + ": " + std::to_string(response.status) + " " +
                    ReadStatusMessage(response.body));
}

BindResult ToBindResult(const Binding& binding, const HttpResponse& response) {
  if (IsAway(response)) {
    ThrowUnreachable("binding " + binding.namespace_name + "/" +
                         binding.pod_name + " to " + binding.node_name,
                     response);
  }
  if (response.Succeeded()) return {BindOutcome::kBound, ""};
  const BindOutcome outcome = response.status == 409   ? BindOutcome::kConflict
                              : response.status == 404 ? BindOutcome::kGone
                                                       : BindOutcome::kRefused;
  return {outcome, ReadStatusMessage(response.body)};
}

Json ParseObject(const HttpResponse& response) {
  return Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
}

// (batch/v1, JobConditionType: those after which no pod is made.)
bool IsJobOver(const Json& job) {
  const Json& conditions = At(At(job, "status"), "conditions");
  return std::ranges::any_of(conditions, [](const Json& condition) {
    const std::string type = Text(condition, "type");
    return Text(condition, "status") == "True" &&
           (type == "Complete" || type == "Failed" ||
            type == "SuccessCriteriaMet" || type == "FailureTarget");
  });
}

}  // namespace

KubernetesCluster::KubernetesCluster(KubernetesOptions options)
    : options_(std::move(options)), client_(options_.http) {}

KubernetesCluster::~KubernetesCluster() = default;

void KubernetesCluster::GiveUp() { client_.Stop(); }

HttpRequest KubernetesCluster::Request(std::string method, std::string path,
                                       std::string body) const {
  HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  request.attempt_timeout = options_.deadline;
  request.deadline = options_.deadline;
  return request;
}

std::unique_ptr<Watch> KubernetesCluster::WatchAll() {
  return std::make_unique<KubernetesWatch>(client_, options_.watch);
}

std::vector<BindResult> KubernetesCluster::Bind(
    std::span<const Binding> bindings, milliseconds deadline) {
  const auto until = steady_clock::now() + deadline;
  std::vector<HttpRequest> requests;
  requests.reserve(bindings.size());
  for (const Binding& binding : bindings) {
    HttpRequest& request = requests.emplace_back(Request(
        "POST", PodPath(binding.namespace_name, binding.pod_name) + "/binding",
        WriteBinding(binding)));
    request.deadline = deadline;
  }
  const auto responses = client_.SendAll(std::move(requests));
  std::vector<BindResult> results;
  results.reserve(bindings.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    results.push_back(ToBindResult(bindings[i], responses[i]));
  }
  LookAgain(bindings,
            std::chrono::ceil<milliseconds>(until - steady_clock::now()),
            results);
  return results;
}

void KubernetesCluster::LookAgain(std::span<const Binding> bindings,
                                  milliseconds deadline,
                                  std::vector<BindResult>& results) {
  std::vector<std::size_t> conflicts;
  std::vector<HttpRequest> requests;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (results[i].outcome != BindOutcome::kConflict) continue;
    conflicts.push_back(i);
    requests.push_back(Request(
        "GET", PodPath(bindings[i].namespace_name, bindings[i].pod_name)));
    requests.back().deadline = deadline;
  }
  const auto responses = client_.SendAll(std::move(requests));
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    const Binding& binding = bindings[conflicts[i]];
    BindResult& result = results[conflicts[i]];
    if (IsAway(responses[i])) {
      ThrowUnreachable("reading " + binding.pod_name, responses[i]);
    }
    if (responses[i].status == 404) result.outcome = BindOutcome::kGone;
    if (responses[i].status != 200) continue;
    const Pod pod = DecodePod(ParseObject(responses[i]));
    const bool same = binding.uid.empty() || pod.uid == binding.uid;
    if (same && pod.node_name == binding.node_name) {
      result = {BindOutcome::kBound, ""};
    }
  }
}

std::vector<AnnounceResult> KubernetesCluster::Announce(
    std::span<const NodeAnnouncement> announcements) {
  std::vector<HttpRequest> requests;
  for (const NodeAnnouncement& each : announcements) {
    requests.push_back(
        Request("PATCH",
                "/api/v1/namespaces/" + PercentEncode(each.namespace_name) +
                    "/persistentvolumeclaims/" + PercentEncode(each.claim_name),
                WriteAnnouncementPatch(each)));
    requests.back().content_type = kMergePatch;
  }
  std::vector<AnnounceResult> results;
  for (const HttpResponse& response : client_.SendAll(std::move(requests))) {
    if (IsAway(response)) ThrowUnreachable("announcing a node", response);
    // Of another UID is invalid: see Touch().
    const bool other = response.status == 404 || response.status == 409 ||
                       response.status == kInvalid;
    results.push_back(
        {response.Succeeded() ? AnnounceOutcome::kWritten
         : other              ? AnnounceOutcome::kConflict
                              : AnnounceOutcome::kRefused,
         response.Succeeded() ? "" : ReadStatusMessage(response.body)});
  }
  return results;
}

std::optional<Pod> KubernetesCluster::GetPod(const std::string& namespace_name,
                                             const std::string& name) {
  const HttpResponse response =
      client_.Send(Request("GET", PodPath(namespace_name, name)));
  if (response.status == 404) return std::nullopt;
  if (response.status != 200) {
    ThrowUnreachable("reading pod " + namespace_name + "/" + name, response);
  }
  return DecodePod(ParseObject(response));
}

std::optional<std::string> KubernetesCluster::Touch(
    const std::string& namespace_name, const std::string& name,
    const std::string& uid) {
  for (int attempt = 1;; ++attempt) {
    HttpRequest request = Request("PATCH", PodPath(namespace_name, name),
                                  WriteTouchPatch(uid, UniqueMark()));
    request.content_type = kMergePatch;
    const HttpResponse response = client_.Send(std::move(request));
    if (response.status == 404) return std::nullopt;
    std::optional<Pod> pod;
    if (response.Succeeded()) {
      pod = DecodePod(ParseObject(response));
    } else if ((response.status == 409 || response.status == kInvalid) &&
               attempt < kTouchAttempts) {
      // Of another UID (seen on 1.36: a patch may not change it), or changed
      // by others at the same moment.
      pod = GetPod(namespace_name, name);
    } else {
      ThrowUnreachable("touching pod " + namespace_name + "/" + name, response);
    }
    if (!pod || pod->uid != uid || !pod->node_name.empty()) return std::nullopt;
    if (response.Succeeded()) return pod->resource_version;
  }
}

bool KubernetesCluster::Delete(const ObjectName& object) {
  const auto resource = ResourceOfKind(object.kind);
  if (!resource) return false;
  const HttpResponse response = client_.Send(
      Request("DELETE", PathOf(*resource, object.namespace_name, object.name),
              WriteDeleteOptions(object.uid)));
  if (response.Succeeded()) return true;
  if (response.status == 404 || response.status == 409) return false;
  ThrowUnreachable("deleting " + object.kind + " " + object.namespace_name +
                       "/" + object.name,
                   response);
}

std::optional<Json> KubernetesCluster::GetOwner(const ObjectName& owner) {
  const auto resource = ResourceOfKind(owner.kind);
  if (!resource) return std::nullopt;
  const HttpResponse response = client_.Send(
      Request("GET", PathOf(*resource, owner.namespace_name, owner.name)));
  if (response.status == 404) return std::nullopt;
  if (response.status != 200) {
    ThrowUnreachable("reading " + owner.kind + " " + owner.name, response);
  }
  Json object = ParseObject(response);
  const std::string uid = Text(At(object, "metadata"), "uid");
  if (!owner.uid.empty() && uid != owner.uid) return std::nullopt;
  return object;
}

std::optional<ObjectName> KubernetesCluster::TopOwner(const ObjectName& owner) {
  std::optional<ObjectName> top;
  ObjectName next = owner;
  for (int height = 0; height < kHighestOwner; ++height) {
    const auto found = GetOwner(next);
    if (!found) return top;
    // The metadata of all objects is alike.
    const Pod object = DecodePod(*found);
    next.uid = object.uid;
    top = next;
    if (!object.controller) return top;
    next = {object.controller->kind, owner.namespace_name,
            object.controller->name, object.controller->uid};
  }
  return top;
}

bool KubernetesCluster::MayReplace(const ObjectName& owner) {
  const auto found = GetOwner(owner);
  if (!found || DecodePod(*found).terminating) return false;
  return owner.kind != "Job" || !IsJobOver(*found);
}

template <typename Item>
void KubernetesCluster::SendInOrder(
    std::span<const Item> items,
    const std::function<HttpRequest(const Item&)>& write) {
  std::vector<std::vector<HttpRequest>> rounds;
  std::map<std::string, std::size_t> next_round;
  for (const Item& item : items) {
    const std::size_t round =
        next_round[item.namespace_name + "/" + item.pod_name]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(write(item));
  }
  for (auto& round : rounds) {
    for (const HttpResponse& response : client_.SendAll(std::move(round))) {
      if (IsAway(response)) ThrowUnreachable("writing to the API", response);
    }
  }
}

void KubernetesCluster::Record(std::span<const PodEvent> events) {
  SendInOrder<PodEvent>(events, [this](const PodEvent& event) {
    const std::string mark = event.once ? MarkOf(event.pod_uid) : UniqueMark();
    return Request(
        "POST",
        "/api/v1/namespaces/" + PercentEncode(event.namespace_name) + "/events",
        WriteEvent(event, event.pod_name + "." + mark, Now()));
  });
}

void KubernetesCluster::SetConditions(
    std::span<const PodCondition> conditions) {
  SendInOrder<PodCondition>(conditions, [this](const PodCondition& condition) {
    HttpRequest request = Request(
        "PATCH",
        PodPath(condition.namespace_name, condition.pod_name) + "/status",
        WriteConditionPatch(condition, Now()));
    request.content_type = kStrategicPatch;
    return request;
  });
}

}  // namespace fluxnetes::cluster
