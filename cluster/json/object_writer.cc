#include "cluster/json/object_writer.h"

#include <algorithm>

#include "cluster/json/job_fields.h"
#include "cluster/json/request_writer.h"
#include "cluster/structures/structure_sources.h"
#include "cluster/text/json_text.h"
#include "cluster/text/quantity.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {

namespace {

constexpr const char* kReporter = "fluxnetes";
constexpr const char* kIndexAnnotation =
    "batch.kubernetes.io/job-completion-index";
using Labels = std::map<std::string, std::string>;

const char* Name(PodPhase phase) {
  switch (phase) {
    case PodPhase::kPending:
      return "Pending";
    case PodPhase::kRunning:
      return "Running";
    case PodPhase::kSucceeded:
      return "Succeeded";
    case PodPhase::kFailed:
      return "Failed";
  }
  return "Unknown";
}

std::string Timestamp(Time time) {
  const bool whole = time == std::chrono::floor<std::chrono::seconds>(time);
  return whole ? FormatTimestamp(time) : FormatMicroTimestamp(time);
}

void WriteLabels(JsonText& json, std::string_view key, const auto& labels) {
  if (labels.empty()) return;
  json.Object(key, [&] {
    for (const auto& [name, value] : labels) json.Field(name, value);
  });
}

void WriteAmounts(JsonText& json, std::string_view key, const Resources& all,
                  bool with_pods) {
  json.Object(key, [&] {
    if (all.cpu_milli != 0) json.Field("cpu", FormatCpu(all.cpu_milli));
    if (all.memory_bytes != 0) {
      json.Field("memory", FormatBytes(all.memory_bytes));
    }
    if (all.ephemeral_bytes != 0) {
      json.Field("ephemeral-storage", FormatBytes(all.ephemeral_bytes));
    }
    if (with_pods) json.Field("pods", std::to_string(all.pods));
    for (const auto& [name, amount] : all.extended) {
      json.Field(name, std::to_string(amount));
    }
  });
}

void WriteController(JsonText& json, const std::optional<Owner>& controller) {
  if (!controller) return;
  json.List("ownerReferences", [&] {
    json.Object([&] {
      json.Field("kind", controller->kind);
      json.Field("name", controller->name);
      json.Field("uid", controller->uid);
      json.Field("controller", true);
    });
  });
}

void WriteRequest(JsonText& json, const PodRequest& request) {
  json.List("containers", [&] {
    json.Object([&] {
      json.Field("name", "main");
      json.Field("image", "simulated");
      json.Object("resources", [&] {
        WriteAmounts(json, "requests", request.resources, false);
        if (request.guaranteed)
          WriteAmounts(json, "limits", request.resources, false);
      });
      WritePorts(json, request.rules->host_ports);
    });
  });
  WritePlacement(json, request);
}

// Which claims have been made of templates.
void WriteClaimStatuses(JsonText& json, const Pod& pod) {
  const auto made = [](const PodClaim& claim) {
    return claim.needless ||
           (!claim.template_name.empty() && !claim.claim.empty());
  };
  if (std::ranges::none_of(pod.resource_claims, made)) return;
  json.List("resourceClaimStatuses", [&] {
    for (const PodClaim& claim : pod.resource_claims) {
      if (!made(claim)) continue;
      json.Object([&] {
        json.Field("name", claim.name);
        json.FieldUnlessEmpty("resourceClaimName", claim.claim);
      });
    }
  });
}

void WriteVolumes(JsonText& json, const Pod& pod) {
  if (pod.volume_claims.empty()) return;
  json.List("volumes", [&] {
    for (const std::string& claim : pod.volume_claims) {
      json.Object([&] {
        if (std::ranges::count(pod.ephemeral_claims, claim) > 0) {
          json.Field("name", claim.substr(pod.name.size() + 1));
          json.Object("ephemeral", [] {});
          return;
        }
        json.Field("name", claim);
        json.Object("persistentVolumeClaim",
                    [&] { json.Field("claimName", claim); });
      });
    }
  });
}

Labels AnnotationsOf(const Pod& pod) {
  Labels annotations = pod.annotations;
  if (pod.completion_index) {
    annotations[kIndexAnnotation] = std::to_string(*pod.completion_index);
  }
  return annotations;
}

void WritePodMetadata(JsonText& json, const Pod& pod) {
  json.Object("metadata", [&] {
    json.FieldUnlessEmpty("namespace", pod.namespace_name);
    json.FieldUnlessEmpty("name", pod.name);
    json.FieldUnlessEmpty("uid", pod.uid);
    json.FieldUnlessEmpty("resourceVersion", pod.resource_version);
    if (pod.created_at != Time{}) {
      json.Field("creationTimestamp", Timestamp(pod.created_at));
    }
    if (pod.terminating) {
      json.Field("deletionTimestamp", Timestamp(pod.created_at));
    }
    WriteLabels(json, "labels", pod.labels);
    WriteLabels(json, "annotations", AnnotationsOf(pod));
    WriteController(json, pod.controller);
  });
}

void WritePodSpec(JsonText& json, const Pod& pod) {
  json.Object("spec", [&] {
    json.FieldUnlessEmpty("schedulerName", pod.scheduler_name);
    json.FieldUnlessEmpty("nodeName", pod.node_name);
    if (!pod.scheduling_group.empty()) {
      json.Object("schedulingGroup",
                  [&] { json.Field("podGroupName", pod.scheduling_group); });
    }
    if (pod.priority != 0) json.Field("priority", pod.priority);
    if (!pod.preempts) json.Field("preemptionPolicy", "Never");
    if (pod.grace != Pod{}.grace) {
      json.Field("terminationGracePeriodSeconds", pod.grace.count());
    }
    if (pod.active_deadline) {
      json.Field("activeDeadlineSeconds", pod.active_deadline->count());
    }
    if (pod.gated) {
      json.List("schedulingGates",
                [&] { json.Object([&] { json.Field("name", "gated"); }); });
    }
    WriteRequest(json, pod.request);
    WriteVolumes(json, pod);
  });
}

void WriteCondition(JsonText& json, std::string_view type, bool holds,
                    std::string_view reason, std::string_view message) {
  json.Object([&] {
    json.Field("type", type);
    json.Field("status", holds ? "True" : "False");
    json.FieldUnlessEmpty("reason", reason);
    json.FieldUnlessEmpty("message", message);
  });
}

bool Holds(const PodCondition& condition) {
  return condition.type == PodCondition::Type::kDisruptionTarget;
}

const char* TypeOf(const PodCondition& condition) {
  return Holds(condition) ? "DisruptionTarget" : "PodScheduled";
}

const char* ConditionName(KubernetesJobStatus::State state) {
  switch (state) {
    case KubernetesJobStatus::State::kActive:
      return nullptr;
    case KubernetesJobStatus::State::kSuspended:
      return "Suspended";
    case KubernetesJobStatus::State::kComplete:
      return "Complete";
    case KubernetesJobStatus::State::kFailed:
      return "Failed";
  }
  return nullptr;
}

void WriteJobMetadata(JsonText& json, const KubernetesJobStatus& status) {
  json.Object("metadata", [&] {
    json.Field("namespace", status.job.namespace_name);
    json.Field("name", status.job.name);
    json.Field("uid", status.uid);
    json.Field("resourceVersion", status.resource_version);
    json.Field("creationTimestamp", Timestamp(status.created_at));
    WriteLabels(json, "labels", status.job.labels);
    if (!status.job.annotations.empty())
      WriteLabels(json, "annotations", status.job.annotations);
    WriteController(json, status.job.controller);
  });
}

void WriteJobSpec(JsonText& json, const KubernetesJob& job) {
  json.Object("spec", [&] {
    json.Field("parallelism", job.parallelism);
    if (job.completions) json.Field("completions", *job.completions);
    json.Field("completionMode", job.indexed ? "Indexed" : "NonIndexed");
    WriteJobEnds(json, job);
    json.Field("suspend", job.suspend);
    json.Raw("template", WritePod(job.pod_template.pod));
  });
}

void WriteJobStatus(JsonText& json, const KubernetesJobStatus& status) {
  json.Object("status", [&] {
    json.Field("active", status.active);
    json.Field("succeeded", status.succeeded);
    json.Field("failed", status.failed);
    json.FieldUnlessEmpty("completedIndexes", status.completed_indexes);
    json.FieldUnlessEmpty("failedIndexes", status.failed_indexes);
    if (status.started_at) {
      json.Field("startTime", Timestamp(*status.started_at));
    }
    // A failed Job has no completionTime, as in Kubernetes.
    if (status.ended_at &&
        status.state == KubernetesJobStatus::State::kComplete) {
      json.Field("completionTime", Timestamp(*status.ended_at));
    }
    const char* condition = ConditionName(status.state);
    if (condition == nullptr) return;
    json.List("conditions", [&] {
      WriteCondition(json, condition, true, status.reason, "");
    });
  });
}

}  // namespace

std::string WritePod(const Pod& pod,
                     const std::optional<PodCondition>& condition) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "v1");
    json.Field("kind", "Pod");
    WritePodMetadata(json, pod);
    WritePodSpec(json, pod);
    json.Object("status", [&] {
      json.Field("phase", Name(pod.phase));
      json.FieldUnlessEmpty("reason", pod.reason);
      WriteClaimStatuses(json, pod);
      if (!condition) return;
      json.List("conditions", [&] {
        WriteCondition(json, TypeOf(*condition), Holds(*condition),
                       condition->reason, condition->message);
      });
    });
  });
  return json.Take();
}

std::string WriteNode(const Node& node) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "v1");
    json.Field("kind", "Node");
    json.Object("metadata", [&] {
      json.Field("name", node.name);
      json.FieldUnlessEmpty("uid", node.uid);
      json.FieldUnlessEmpty("resourceVersion", node.resource_version);
      WriteLabels(json, "labels", node.labels);
      if (node.structure.Any()) {
        json.Object("annotations",
                    [&] { json.Field(kStructureAnnotation, *node.structure); });
      }
    });
    json.Object("spec", [&] {
      if (node.unschedulable) json.Field("unschedulable", true);
      json.List("taints", [&] {
        for (const Taint& taint : node.taints) {
          json.Object([&] {
            json.Field("key", taint.key);
            json.FieldUnlessEmpty("value", taint.value);
            json.Field("effect", taint.effect);
          });
        }
      });
    });
    json.Object("status", [&] {
      WriteAmounts(json, "allocatable", node.allocatable, true);
      json.List("conditions",
                [&] { WriteCondition(json, "Ready", node.ready, "", ""); });
    });
  });
  return json.Take();
}

std::string WriteJob(const KubernetesJobStatus& status) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "batch/v1");
    json.Field("kind", "Job");
    WriteJobMetadata(json, status);
    WriteJobSpec(json, status.job);
    WriteJobStatus(json, status);
  });
  return json.Take();
}

std::string WriteBinding(const Binding& binding) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "v1");
    json.Field("kind", "Binding");
    json.Object("metadata", [&] {
      json.Field("namespace", binding.namespace_name);
      json.Field("name", binding.pod_name);
      json.FieldUnlessEmpty("uid", binding.uid);
      json.FieldUnlessEmpty("resourceVersion", binding.resource_version);
      if (!binding.annotations.empty())
        WriteLabels(json, "annotations", binding.annotations);
    });
    json.Object("target", [&] {
      json.Field("apiVersion", "v1");
      json.Field("kind", "Node");
      json.Field("name", binding.node_name);
    });
  });
  return json.Take();
}

std::string WriteEvent(const PodEvent& event, const std::string& name,
                       Time time) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "v1");
    json.Field("kind", "Event");
    json.Object("metadata", [&] {
      json.Field("namespace", event.namespace_name);
      json.Field("name", name);
    });
    json.Object("involvedObject", [&] {
      json.Field("apiVersion", "v1");
      json.Field("kind", "Pod");
      json.Field("namespace", event.namespace_name);
      json.Field("name", event.pod_name);
      json.FieldUnlessEmpty("uid", event.pod_uid);
    });
    json.Field("type", event.warning ? "Warning" : "Normal");
    json.Field("reason", event.reason);
    json.Field("message", event.message);
    json.Object("source", [&] { json.Field("component", kReporter); });
    json.Field("reportingComponent", kReporter);
    json.Field("firstTimestamp", FormatTimestamp(time));
    json.Field("lastTimestamp", FormatTimestamp(time));
    json.Field("count", 1);
  });
  return json.Take();
}

std::string WriteConditionPatch(const PodCondition& condition) {
  JsonText json;
  json.Object([&] {
    json.Object("metadata", [&] {
      json.FieldUnlessEmpty("uid", condition.pod_uid);
      json.FieldUnlessEmpty("resourceVersion", condition.resource_version);
    });
    json.Object("status", [&] {
      json.List("conditions", [&] {
        json.Object([&] {
          json.Field("type", TypeOf(condition));
          json.Field("status", Holds(condition) ? "True" : "False");
          json.Field("reason", condition.reason);
          json.Field("message", condition.message);
          if (condition.since) {
            json.Field("lastTransitionTime", FormatTimestamp(*condition.since));
          }
        });
      });
    });
  });
  return json.Take();
}

std::string WriteGroupStatusPatch(const PodGroupNews& news, Time time) {
  const PodGroupStatus& status = news.status;
  JsonText json;
  json.Object([&] {
    json.Object("metadata", [&] {
      json.FieldUnlessEmpty("uid", news.uid);
      json.FieldUnlessEmpty("resourceVersion", news.resource_version);
    });
    json.Object("status", [&] {
      if (news.group.api == PodGroupApi::kCoscheduling) {
        json.Field("phase", status.phase);
        json.FieldUnlessEmpty("occupiedBy", status.occupied_by);
        json.Field("scheduled", status.scheduled.value_or(0));
        json.Field("running", status.running);
        json.Field("succeeded", status.succeeded);
        json.Field("failed", status.failed);
        return;
      }
      json.List("conditions", [&] {
        json.Object([&] {
          json.Field("type", "PodGroupScheduled");
          json.Field("status", status.condition);
          json.Field("reason", status.reason);
          json.Field("message", status.message);
          if (news.turned)
            json.Field("lastTransitionTime", FormatTimestamp(time));
        });
      });
    });
  });
  return json.Take();
}

std::string WriteTouchPatch(const std::string& uid, const std::string& mark) {
  JsonText json;
  json.Object([&] {
    json.Object("metadata", [&] {
      json.FieldUnlessEmpty("uid", uid);
      json.Object("annotations", [&] { json.Field(kTouchAnnotation, mark); });
    });
  });
  return json.Take();
}

std::string WriteAnnouncementPatch(const NodeAnnouncement& announcement) {
  JsonText json;
  json.Object([&] {
    json.Object("metadata", [&] {
      json.FieldUnlessEmpty("uid", announcement.uid);
      json.FieldUnlessEmpty("resourceVersion", announcement.resource_version);
      json.Object("annotations", [&] {
        json.Field("volume.kubernetes.io/selected-node",
                   announcement.node_name);
      });
    });
  });
  return json.Take();
}

std::string WriteDeleteOptions(const std::string& uid) {
  JsonText json;
  json.Object([&] {
    json.Field("apiVersion", "v1");
    json.Field("kind", "DeleteOptions");
    json.Field("propagationPolicy", "Background");
    if (uid.empty()) return;
    json.Object("preconditions", [&] { json.Field("uid", uid); });
  });
  return json.Take();
}

}  // namespace fluxnetes::cluster
