#include "cluster/kubernetes/kubernetes_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "cluster/json/object_writer.h"
#include "cluster/json/watch_line.h"
#include "cluster/kubernetes/api_answer.h"
#include "cluster/kubernetes/api_path.h"
#include "cluster/kubernetes/claim_calls.h"
#include "cluster/kubernetes/protobuf_bodies.h"
#include "cluster/protobuf/envelope.h"

namespace fluxnetes::cluster {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kStrategicPatch =
    "application/strategic-merge-patch+json";
constexpr int kUnsupportedMediaType = 415;
constexpr int kTouchAttempts = 5;

Time Now() {
  return std::chrono::time_point_cast<Time::duration>(
      std::chrono::system_clock::now());
}

// Unique in this process and across restarts.
std::string UniqueMark() {
  static std::atomic<std::uint64_t> next =
      static_cast<std::uint64_t>(Now().time_since_epoch().count());
  char text[17] = {};
  const auto end = std::to_chars(text, text + 16, next++, 16).ptr;
  return {text, end};
}

// Equal for the same pod and occasion (FNV-1a), so that a second event has the
// name of the first and is refused.
std::string MarkOf(const PodEvent& event) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : event.pod_uid + "/" + event.occasion) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
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

std::string NameOf(const ObjectName& pod) {
  return "pod " + pod.namespace_name + "/" + pod.name;
}

// The result of a touch, if the pod has this UID and no node.
TouchResult ToTouchResult(const ObjectName& name, Pod pod) {
  if (pod.uid != name.uid) return {};
  if (pod.node_name.empty()) return {pod.resource_version, nullptr};
  return {"", std::make_shared<const Pod>(std::move(pod))};
}

}  // namespace

KubernetesCluster::KubernetesCluster(KubernetesOptions options)
    : options_(std::move(options)),
      client_(options_.http),
      encoding_(options_.protobuf) {}

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
  KubernetesWatchOptions options = options_.watch;
  options.protobuf = options.protobuf && options_.protobuf;
  return std::make_unique<KubernetesWatch>(client_, std::move(options));
}

std::vector<HttpResponse> KubernetesCluster::SendWritten(std::size_t count,
                                                         const Write& write) {
  std::vector<HttpRequest> requests;
  std::vector<std::size_t> in_protobuf;
  const bool protobuf = encoding_.IsProtobuf();
  for (std::size_t i = 0; i < count; ++i) {
    requests.push_back(write(i, protobuf));
    if (requests.back().content_type == kProtobufType) in_protobuf.push_back(i);
  }
  auto answers = client_.SendAll(std::move(requests));
  std::erase_if(in_protobuf, [&answers](std::size_t i) {
    return answers[i].status != kUnsupportedMediaType;
  });
  if (in_protobuf.empty()) return answers;
  encoding_.GiveUpProtobuf();
  requests.clear();
  for (const std::size_t i : in_protobuf) requests.push_back(write(i, false));
  auto again = client_.SendAll(std::move(requests));
  for (std::size_t k = 0; k < again.size(); ++k)
    answers[in_protobuf[k]] = std::move(again[k]);
  return answers;
}

std::vector<BindResult> KubernetesCluster::Bind(
    std::span<const Binding> bindings, milliseconds deadline) {
  const auto until = steady_clock::now() + deadline;
  const auto left = [until] {
    return std::chrono::ceil<milliseconds>(until - steady_clock::now());
  };
  const auto responses = SendWritten(bindings.size(), [&](std::size_t number,
                                                          bool protobuf) {
    const Binding& binding = bindings[number];
    HttpRequest request = Request(
        "POST", PodPath(binding.namespace_name, binding.pod_name) + "/binding",
        protobuf ? BindingInProtobuf(binding) : WriteBinding(binding));
    if (protobuf) request.content_type = kProtobufType;
    request.accept = encoding_.Object();
    request.deadline = left();
    return request;
  });
  std::vector<BindResult> results;
  results.reserve(bindings.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    results.push_back(ToBindResult(bindings[i], responses[i]));
  }
  LookAgain(bindings, left(), results);
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
    requests.back().accept = encoding_.Object();
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
    const Pod pod = encoding_.ReadPod(responses[i]);
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
    requests.back().accept = encoding_.Metadata();
  }
  std::vector<AnnounceResult> results;
  for (const HttpResponse& response : client_.SendAll(std::move(requests))) {
    if (IsAway(response)) ThrowUnreachable("announcing a node", response);
    results.push_back(
        {response.Succeeded()  ? AnnounceOutcome::kWritten
         : IsRefused(response) ? AnnounceOutcome::kRefused
                               : AnnounceOutcome::kConflict,
         response.Succeeded() ? "" : ReadStatusMessage(response.body)});
  }
  return results;
}

template <typename Wish, typename Next>
std::vector<ClaimResult> KubernetesCluster::WriteClaims(
    std::span<const Wish> wishes, const Next& next) {
  ClaimCalls calls(client_, encoding_,
                   [this](const std::string& method, const std::string& path,
                          std::string body) {
                     return Request(method, path, std::move(body));
                   });
  ClaimCalls::Claims claims;
  for (const Wish& wish : wishes) claims.push_back(wish.claim);
  return calls.Write(claims, [&](std::size_t number, const ResourceClaim& now) {
    return next(wishes[number], now);
  });
}

std::vector<ClaimResult> KubernetesCluster::AllocateClaims(
    std::span<const ClaimAllocation> claims) {
  return WriteClaims(claims,
                     [](const ClaimAllocation& wish, const ResourceClaim& now) {
                       return NextPatch(wish, now, Now());
                     });
}

std::vector<ClaimResult> KubernetesCluster::ReleaseClaims(
    std::span<const ClaimRelease> claims) {
  return WriteClaims(claims,
                     [](const ClaimRelease& wish, const ResourceClaim& now) {
                       return NextPatch(wish, now);
                     });
}

std::optional<Pod> KubernetesCluster::GetPod(const std::string& namespace_name,
                                             const std::string& name) {
  HttpRequest request = Request("GET", PodPath(namespace_name, name));
  request.accept = encoding_.Object();
  const HttpResponse response = client_.Send(std::move(request));
  if (response.status == 404) return std::nullopt;
  if (response.status != 200) {
    ThrowUnreachable("reading pod " + namespace_name + "/" + name, response);
  }
  return encoding_.ReadPod(response);
}

std::vector<TouchResult> KubernetesCluster::Touch(
    std::span<const ObjectName> pods) {
  std::vector<TouchResult> results(pods.size());
  std::vector<std::size_t> left(pods.size());
  std::iota(left.begin(), left.end(), 0);
  for (int attempt = 1; !left.empty(); ++attempt)
    left = TouchOnce(pods, left, attempt == kTouchAttempts, results);
  return results;
}

std::vector<std::size_t> KubernetesCluster::TouchOnce(
    std::span<const ObjectName> pods, const std::vector<std::size_t>& these,
    bool last, std::vector<TouchResult>& results) {
  std::vector<HttpRequest> patches, questions;
  for (const std::size_t i : these) {
    patches.push_back(Request("PATCH",
                              PodPath(pods[i].namespace_name, pods[i].name),
                              WriteTouchPatch(pods[i].uid, UniqueMark())));
    patches.back().content_type = kMergePatch;
    patches.back().accept = encoding_.Object();
  }
  const auto patched = client_.SendAll(std::move(patches));
  std::vector<std::size_t> unclear;
  for (std::size_t k = 0; k < these.size(); ++k) {
    const std::size_t i = these[k];
    const HttpResponse& response = patched[k];
    if (response.Succeeded()) {
      results[i] = ToTouchResult(pods[i], encoding_.ReadPod(response));
    } else if ((response.status == 409 || IsOfAnother(response)) && !last) {
      // Or another client changed the pod at the same moment.
      unclear.push_back(i);
      questions.push_back(
          Request("GET", PodPath(pods[i].namespace_name, pods[i].name)));
      questions.back().accept = encoding_.Object();
    } else if (response.status != 404) {
      ThrowUnreachable("touching " + NameOf(pods[i]), response);
    }
  }
  const auto read = client_.SendAll(std::move(questions));
  std::vector<std::size_t> again;
  for (std::size_t k = 0; k < unclear.size(); ++k) {
    const std::size_t i = unclear[k];
    if (read[k].status == 404) continue;
    if (read[k].status != 200)
      ThrowUnreachable("reading " + NameOf(pods[i]), read[k]);
    const TouchResult now = ToTouchResult(pods[i], encoding_.ReadPod(read[k]));
    results[i].bound = now.bound;
    if (!now.resource_version.empty()) again.push_back(i);
  }
  return again;
}

template <typename Item>
std::vector<HttpResponse> KubernetesCluster::SendInOrder(
    std::span<const Item> items,
    const std::function<HttpRequest(const Item&, bool protobuf)>& write) {
  std::vector<std::vector<std::size_t>> rounds;
  std::map<std::string, std::size_t> next_round;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t round =
        next_round[items[i].namespace_name + "/" + items[i].pod_name]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(i);
  }
  std::vector<HttpResponse> answers(items.size());
  for (const auto& round : rounds) {
    auto responses =
        SendWritten(round.size(), [&](std::size_t number, bool protobuf) {
          return write(items[round[number]], protobuf);
        });
    for (std::size_t i = 0; i < round.size(); ++i) {
      if (IsAway(responses[i]))
        ThrowUnreachable("writing to the API", responses[i]);
      answers[round[i]] = std::move(responses[i]);
    }
  }
  return answers;
}

void KubernetesCluster::NoteRefusals(const std::string& what,
                                     const std::vector<HttpResponse>& answers) {
  if (!options_.on_refused) return;
  for (const HttpResponse& answer : answers) {
    if (!IsRefused(answer)) continue;
    {
      const sql::MutexLock lock(mutex_);
      if (!refused_.emplace(what, answer.status).second) continue;
    }
    options_.on_refused(what, ReadStatusMessage(answer.body));
  }
}

void KubernetesCluster::Record(std::span<const PodEvent> events) {
  const auto answers = SendInOrder<PodEvent>(
      events, [this](const PodEvent& event, bool protobuf) {
        const std::string name =
            event.pod_name + "." + (event.once ? MarkOf(event) : UniqueMark());
        HttpRequest request =
            Request("POST",
                    "/api/v1/namespaces/" +
                        PercentEncode(event.namespace_name) + "/events",
                    protobuf ? EventInProtobuf(event, name, Now())
                             : WriteEvent(event, name, Now()));
        if (protobuf) request.content_type = kProtobufType;
        request.accept = encoding_.Metadata();
        return request;
      });
  NoteRefusals("events of pods", answers);
}

std::vector<StatusResult> KubernetesCluster::ToStatusResults(
    const std::vector<HttpResponse>& answers) {
  std::vector<StatusResult> results;
  for (const HttpResponse& answer : answers) {
    StatusResult& result = results.emplace_back();
    if (answer.Succeeded()) {
      encoding_.Read(answer, [&result](const EncodedValue& object) {
        result.resource_version =
            Text(At(object, "metadata"), "resourceVersion");
      });
    } else {
      result.outcome = IsRefused(answer) ? StatusOutcome::kRefused
                                         : StatusOutcome::kConflict;
    }
  }
  return results;
}

std::vector<StatusResult> KubernetesCluster::SetConditions(
    std::span<const PodCondition> conditions) {
  const auto answers = SendInOrder<PodCondition>(
      conditions, [this](const PodCondition& condition, bool) {
        HttpRequest request = Request(
            "PATCH",
            PodPath(condition.namespace_name, condition.pod_name) + "/status",
            WriteConditionPatch(condition));
        request.content_type = kStrategicPatch;
        request.accept = encoding_.Metadata();
        return request;
      });
  NoteRefusals("conditions of pods", answers);
  return ToStatusResults(answers);
}

std::vector<StatusResult> KubernetesCluster::SetGroupStatuses(
    std::span<const PodGroupNews> groups) {
  std::vector<HttpRequest> requests;
  for (const PodGroupNews& news : groups) {
    const bool native = news.group.api == PodGroupApi::kNative;
    HttpRequest& request = requests.emplace_back(
        Request("PATCH",
                PathOf({"PodGroup",
                        native ? "/apis/scheduling.k8s.io/v1alpha2"
                               : "/apis/scheduling.x-k8s.io/v1alpha1",
                        "podgroups"},
                       news.group.namespace_name, news.group.name) +
                    "/status",
                WriteGroupStatusPatch(news, Now())));
    // Conditions are merged by type, which custom resources do not support.
    request.content_type = native ? kStrategicPatch : kMergePatch;
    request.accept = encoding_.Metadata();
  }
  const auto answers = client_.SendAll(std::move(requests));
  for (const HttpResponse& answer : answers) {
    if (IsAway(answer)) ThrowUnreachable("writing to the API", answer);
  }
  NoteRefusals("status of PodGroups", answers);
  return ToStatusResults(answers);
}

}  // namespace fluxnetes::cluster
