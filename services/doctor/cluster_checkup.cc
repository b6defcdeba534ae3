#include "services/doctor/cluster_checkup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/http/http_client.h"
#include "cluster/text/timestamp.h"
#include "services/config/cluster_access.h"
#include "services/console/exit_code.h"
#include "services/console/time_text.h"
#include "services/doctor/scheduler_rights.h"
#include "services/doctor/structure_checkup.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;
using cluster::HttpRequest;
using cluster::HttpResponse;
using Status = Finding::Status;

constexpr std::chrono::seconds kAnswerDeadline{5};
// Seconds; the server's time is in whole seconds.
constexpr double kClockOff = 2;

std::string RightCalled(const SchedulerRight& right) {
  std::string resource(right.resource);
  if (!right.subresource.empty())
    resource += "/" + std::string(right.subresource);
  if (!right.group.empty()) resource += "." + std::string(right.group);
  return fmt::format("{} {}", right.verb, resource);
}

HttpRequest ReviewOf(const SchedulerRight& right) {
  const Json body = {{"apiVersion", "authorization.k8s.io/v1"},
                     {"kind", "SelfSubjectAccessReview"},
                     {"spec",
                      {{"resourceAttributes",
                        {{"group", right.group},
                         {"resource", right.resource},
                         {"subresource", right.subresource},
                         {"verb", right.verb}}}}}};
  HttpRequest request;
  request.method = "POST";
  request.path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  request.body = body.dump();
  request.deadline = kAnswerDeadline;
  return request;
}

// Returns "401 Unauthorized" or the like, or the beginning of the error.
std::string MessageOf(const HttpResponse& response) {
  if (response.status == 0) return response.error;
  const Json json = Json::parse(response.body, nullptr, false);
  const std::string message = json.is_object() ? json.value("message", "") : "";
  return fmt::format("{} {}", response.status, message);
}

class ClusterCheckup {
 public:
  ClusterCheckup(const Config& config, cluster::HttpOptions access,
                 const std::function<sql::Timestamp()>& now,
                 const std::optional<std::vector<std::string>>& owner_queues)
      : config_(config),
        now_(now),
        owner_queues_(owner_queues),
        address_(access.address),
        client_(std::move(access)) {}

  Findings Run() {
    if (CheckVersion()) CheckRights();
    if (answers_) {
      for (Finding& finding : CheckStructures(config_, client_))
        findings_.push_back(std::move(finding));
    }
    return std::move(findings_);
  }

 private:
  void Add(const char* check, Status status, std::string what,
           std::string mend = {}) {
    findings_.push_back({check, status, std::move(what), std::move(mend)});
  }

  HttpResponse Get(const char* path) {
    HttpRequest request;
    request.path = path;
    request.once = true;
    request.deadline = kAnswerDeadline;
    return client_.Send(std::move(request));
  }

  // Returns true if it is an API server whose rights can be checked.
  bool CheckVersion() {
    const HttpResponse response = Get("/version");
    if (response.status == 0) {
      Add("API server", Status::kFailed, "cannot be reached: " + response.error,
          config_.cluster.kind == ClusterKind::kSimulated
              ? "Start `fluxnetes serve`, which has the simulated cluster in "
                "itself (cluster.listen), or set cluster.kind to api."
              : "Check the address (cluster.address or the kubeconfig), the "
                "network and the certificate.");
      return false;
    }
    if (response.status == 401) {
      Add("API server", Status::kFailed,
          fmt::format("{} does not know who we are: {}", address_,
                      MessageOf(response)),
          "The token or certificate of the kubeconfig or service account is "
          "wrong or expired: make it anew.");
      return false;
    }
    const Json json = Json::parse(response.body, nullptr, false);
    const std::string version =
        json.is_object() ? json.value("gitVersion", "") : "";
    if (!response.Succeeded() || version.empty()) {
      Add("API server", Status::kFailed,
          fmt::format("{} does not answer like one: {}", address_,
                      MessageOf(response)),
          "Check that cluster.address is that of a Kubernetes API server.");
      return false;
    }
    Add("API server", Status::kWell,
        fmt::format("{} at {}", version, address_));
    answers_ = true;
    if (version.ends_with("-simulated")) {
      Add("rights in the cluster", Status::kSkipped,
          "a simulated cluster asks nobody for any");
      return false;
    }
    CheckIdentity();
    return true;
  }

  // Checks our identity there and the server's clock.
  void CheckIdentity() {
    HttpRequest request;
    request.method = "POST";
    request.path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    request.body =
        R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
    request.deadline = kAnswerDeadline;
    const sql::Timestamp before = now_();
    const HttpResponse response = client_.Send(std::move(request));
    const sql::Timestamp after = now_();
    const Json json = Json::parse(response.body, nullptr, false);
    if (!response.Succeeded() || !json.is_object()) {
      Add("identity", Status::kSkipped,
          "it does not say who we are: " + MessageOf(response));
      return;
    }
    Add("identity", Status::kWell,
        json.value(Json::json_pointer("/status/userInfo/username"), ""));
    const Json& made =
        json.value(Json::json_pointer("/metadata/creationTimestamp"), Json());
    const auto told = made.is_string()
                          ? cluster::ParseTimestamp(made.get<std::string>())
                          : std::nullopt;
    if (told)
      CheckClock(*told, before, after);
    else
      Add("API server clock", Status::kSkipped, "it does not say its time");
  }

  // `told` is the server's time, cut to whole seconds.
  void CheckClock(sql::Timestamp told, sql::Timestamp before,
                  sql::Timestamp after) {
    const double early = std::chrono::duration<double>(told - after).count();
    const double late =
        std::chrono::duration<double>(before - (told + std::chrono::seconds(1)))
            .count();
    const double off = std::max({early, late, 0.0});
    if (off < kClockOff)
      Add("API server clock", Status::kWell, "as here, within seconds");
    else
      Add("API server clock", Status::kWarning,
          fmt::format("{} {} that of this host",
                      ShortDuration(std::chrono::seconds(std::llround(off))),
                      early > late ? "ahead of" : "behind"),
          "Let both hosts keep the time by NTP (`timedatectl`): ages and "
          "deadlines of pods are counted from the server's times.");
  }

  void CheckRights() {
    std::vector<HttpRequest> requests;
    for (const SchedulerRight& right : SchedulerRights())
      requests.push_back(ReviewOf(right));
    const std::vector<HttpResponse> responses =
        client_.SendAll(std::move(requests));
    std::map<std::string, std::string> missing, optional;  // by purpose
    for (std::size_t i = 0; i < responses.size(); ++i) {
      const SchedulerRight& right = SchedulerRights()[i];
      const Json json = Json::parse(responses[i].body, nullptr, false);
      if (!responses[i].Succeeded() || !json.is_object()) {
        Add("rights in the cluster", Status::kFailed,
            "they cannot be asked for: " + MessageOf(responses[i]),
            "Every user of Kubernetes may ask (ClusterRole system:basic-user), "
            "unless somebody has changed that.");
        return;
      }
      if (json.value(Json::json_pointer("/status/allowed"), false)) continue;
      std::string& list =
          (right.optional ? optional : missing)[std::string(right.why)];
      list += (list.empty() ? "" : ", ") + RightCalled(right);
    }
    TellMissing(missing, optional);
  }

  void TellMissing(const std::map<std::string, std::string>& missing,
                   const std::map<std::string, std::string>& optional) {
    const auto mend =
        "kubectl apply -f deploy/rbac.yaml gives them to the service account "
        "fluxnetes; to check those of the scheduler run doctor as it: in its "
        "pod, or with its kubeconfig.";
    for (const auto& [why, rights] : missing)
      Add("rights in the cluster", Status::kFailed,
          fmt::format("missing ({}): {}", why, rights), mend);
    const bool wanted = !owner_queues_ || !owner_queues_->empty();
    for (const auto& [why, rights] : optional)
      if (wanted)
        Add("rights in the cluster",
            owner_queues_ ? Status::kFailed : Status::kWarning,
            fmt::format(
                "missing, and only needed for {}{}: {}", why,
                owner_queues_
                    ? fmt::format(" ({})", fmt::join(*owner_queues_, ", "))
                    : "",
                rights),
            "If a queue needs them, bind the ClusterRole fluxnetes-owners of "
            "deploy/rbac.yaml.");
    if (!missing.empty() || (!optional.empty() && wanted)) return;
    Add("rights in the cluster", Status::kWell,
        optional.empty() ? fmt::format("all {}", SchedulerRights().size())
                         : "all but those for " + optional.begin()->first +
                               ", which there are none of");
  }

  const Config& config_;
  const std::function<sql::Timestamp()>& now_;
  const std::optional<std::vector<std::string>>& owner_queues_;
  const std::string address_;
  cluster::HttpClient client_;
  Findings findings_;
  bool answers_ = false;  // like an API server
};

}  // namespace

Findings CheckCluster(
    const Config& config,
    const std::function<const char*(const char*)>& environment,
    const std::function<sql::Timestamp()>& now,
    const std::optional<std::vector<std::string>>& owner_queues) {
  try {
    return ClusterCheckup(config, ClusterAccess(config, environment), now,
                          owner_queues)
        .Run();
  } catch (const Failure& failure) {
    return {{"API server", Status::kFailed, failure.what(), failure.next()}};
  } catch (const std::exception& error) {
    return {{"API server", Status::kFailed, error.what(),
             "It is set by --cluster, FLUXNETES_CLUSTER or cluster.address."}};
  }
}

}  // namespace fluxnetes::services
