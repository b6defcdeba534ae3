// The interface to the cluster: all that the scheduler needs of it, and nothing
// else. It has two implementations, the Kubernetes API and a simulated cluster.
// Folders above this one do not know which one they use; both pass one contract
// suite (tests/cluster/contract/contract.h).
//
// All functions are thread-safe. An answer of the cluster is a value; an
// unreachable cluster is an exception (Unreachable).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "cluster/controller_state.h"
#include "cluster/devices/claim_changes.h"
#include "cluster/devices/device_objects.h"
#include "cluster/devices/resource_claim.h"
#include "cluster/objects/job_annotations.h"
#include "cluster/objects/namespace.h"
#include "cluster/objects/node.h"
#include "cluster/objects/pod.h"
#include "cluster/objects/pod_group.h"
#include "cluster/objects/storage_class.h"
#include "cluster/objects/volume.h"
#include "cluster/objects/volume_claim.h"
#include "cluster/objects/watched_kind.h"
#include "cluster/structures/node_topology.h"

namespace fluxnetes::cluster {

class Unreachable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The cluster answered but refuses the call: a permission is missing, or a
// policy forbids it. Retrying soon does not help.
class Refused : public Unreachable {
 public:
  using Unreachable::Unreachable;
};

// One event of a watch.
//
// A list begins with kListBegin and ends with kListEnd. Every object arrives
// between them as kChanged; an object that the watcher knows and that does not
// arrive has been deleted. A list comes at the start and whenever the cluster
// cannot report what the watcher missed. It covers all kinds, or one kind alone
// (`listed`), possibly within a list of all kinds. An interrupted list begins
// again without an end. A list of all kinds covers nodes and pods; an optional
// kind has its own list within it, or is passed over.
//
// Objects are shared, because one event goes to several watchers, and never
// change.
struct WatchEvent {
  enum class Kind { kListBegin, kListEnd, kChanged, kDeleted };
  Kind kind = Kind::kChanged;
  std::variant<
      std::monostate, std::shared_ptr<const Pod>, std::shared_ptr<const Node>,
      std::shared_ptr<const PodGroup>, std::shared_ptr<const VolumeClaim>,
      std::shared_ptr<const Volume>, std::shared_ptr<const StorageClass>,
      std::shared_ptr<const Namespace>, std::shared_ptr<const JobAnnotations>,
      std::shared_ptr<const NodeTopology>, std::shared_ptr<const DeviceClass>,
      std::shared_ptr<const ResourceSlice>,
      std::shared_ptr<const ResourceClaimTemplate>,
      std::shared_ptr<const ResourceClaim>>
      object = {};
  std::optional<WatchedKind> listed = {};  // of a list: this kind alone
};

// A stream of events, used by one thread. Its buffer is bounded: a watcher that
// is too slow gets a new list instead of every event.
class Watch {
 public:
  virtual ~Watch() = default;

  // Returns up to `limit` events in order; waits up to `timeout` for the first
  // one. Does not throw for a lost connection: the watch resumes with a list.
  virtual std::vector<WatchEvent> Next(int limit,
                                       std::chrono::milliseconds timeout) = 0;
};

// On a pod that has something inside of its node: what, as R version 1 (Flux
// RFC 20).
inline constexpr const char* kResourceSetAnnotation =
    "fluxnetes.io/resource-set";

// Assigns the pod of this UID, at this resource version, to the node.
struct Binding {
  std::string namespace_name;
  std::string pod_name;
  std::string uid;
  std::string resource_version;  // empty: any
  std::string node_name;
  LabelMap annotations = {};  // that the pod gets with its node
};

enum class BindOutcome {
  kBound,     // by this call
  kConflict,  // other UID or version, or it has a node: read it again
  kGone,      // no such pod
  kRefused    // by the API server; `message` has the reason
};

struct BindResult {
  BindOutcome outcome = BindOutcome::kBound;
  std::string message;
};

// Writes on a claim the node chosen for its pod, so that a volume is
// provisioned there (annotation volume.kubernetes.io/selected-node; Kubernetes:
// "Storage Classes", volume binding mode). The claim has this UID and resource
// version.
struct NodeAnnouncement {
  std::string namespace_name;
  std::string claim_name;
  std::string uid;
  std::string resource_version;
  std::string node_name;
};

enum class AnnounceOutcome {
  kWritten,
  kConflict,  // gone, other UID or version: read it again
  kRefused    // by the API server; `message` has the reason
};

struct AnnounceResult {
  AnnounceOutcome outcome = AnnounceOutcome::kWritten;
  std::string message;
};

// An object to be deleted or looked up.
struct ObjectName {
  std::string kind;  // Pod, Job, or the kind of another controller
  std::string namespace_name;
  std::string name;
  std::string uid;  // precondition; empty: any
};

// The result of touching a pod.
struct TouchResult {
  std::string resource_version;  // the new one; empty: not touched
  // The pod, if it already has a node; null: it is gone.
  std::shared_ptr<const Pod> bound;
};

// An event of Kubernetes (core/v1 Event) on a pod.
struct PodEvent {
  std::string namespace_name;
  std::string pod_name;
  std::string pod_uid;
  bool warning = false;
  std::string reason;  // Scheduled, FailedScheduling, ...
  std::string message;
  // At most one such event in the pod's life or, with `occasion`, for this
  // occasion: recording it again adds none.
  bool once = false;
  std::string occasion = {};
};

// A condition of a pod: PodScheduled=False, or DisruptionTarget=True, which
// marks a pod that the scheduler is about to delete, so that its Job need not
// count the deletion as a failure (Kubernetes: "Disruptions", "Pod failure
// policy").
struct PodCondition {
  enum class Type { kNotScheduled, kDisruptionTarget };
  std::string namespace_name;
  std::string pod_name;
  std::string pod_uid;
  std::string reason;  // Unschedulable, SchedulingGated, PreemptionByScheduler
  std::string message;
  // Set only while the pod is at this version, hence not once it is bound;
  // empty: at any version.
  std::string resource_version = {};
  // lastTransitionTime: when the status last changed, which another reason does
  // not change (Kubernetes API conventions: "when the underlying condition
  // changed"). For PodScheduled=False: the pod's creation. For
  // DisruptionTarget: now; Kubernetes removes one that is older than two
  // minutes or has no time.
  std::optional<Time> since = {};
  Type type = Type::kNotScheduled;
};

// The status to write to a PodGroup, while it is at this version.
struct PodGroupNews {
  PodGroupName group;
  std::string uid;
  std::string resource_version;
  PodGroupStatus status;
  bool turned = true;  // the condition's status changes by this write
};

enum class StatusOutcome {
  kSet,       // or was already so
  kConflict,  // gone, other UID or version: read it again
  kRefused    // by the API server, for example a missing permission
};

struct StatusResult {
  StatusOutcome outcome = StatusOutcome::kSet;
  std::string resource_version = {};  // of the object after the write
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  // Watches all pods of all namespaces and schedulers, all nodes, and the
  // optional kinds (watched_kind.h) that the cluster serves.
  virtual std::unique_ptr<Watch> WatchAll() = 0;

  // Binds pods and returns one result per binding, in order. Requests run
  // concurrently; the call returns when each has its answer. 429 and 5xx are
  // retried, observing Retry-After, until `deadline`; then Unreachable is
  // thrown, and some pods may have been bound.
  virtual std::vector<BindResult> Bind(std::span<const Binding> bindings,
                                       std::chrono::milliseconds deadline) = 0;

  // Returns one result per announcement, in order.
  virtual std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) = 0;

  // Gives claims their devices and consumers, or takes consumers and devices
  // off them (devices/claim_changes.h). Claims are written concurrently, each
  // named once; a change by others that leaves its devices as they were does
  // not matter. Returns one result per claim, in order. Throws Unreachable;
  // then some may have been written.
  virtual std::vector<ClaimResult> AllocateClaims(
      std::span<const ClaimAllocation> claims) = 0;
  virtual std::vector<ClaimResult> ReleaseClaims(
      std::span<const ClaimRelease> claims) = 0;

  // Reads the pod; nothing if it does not exist.
  virtual std::optional<Pod> GetPod(const std::string& namespace_name,
                                    const std::string& name) = 0;

  // Changes only the pods' resource versions (by an annotation), so that a
  // binding in flight that names an old version meets a conflict. Returns one
  // result per pod, in order; a pod of another UID counts as gone. Throws
  // Refused.
  virtual std::vector<TouchResult> Touch(std::span<const ObjectName> pods) = 0;

  // Deletes the object in the background, with what it controls. Returns false
  // if it does not exist or has another UID. Throws Refused.
  virtual bool Delete(const ObjectName& object) = 0;

  // Returns the topmost controller above `owner`, or `owner` itself if it has
  // none; nothing if `owner` does not exist.
  virtual std::optional<ObjectName> TopOwner(const ObjectName& owner) = 0;

  // Returns true if this controller may still create a pod in place of one that
  // ended: it exists, is not being deleted and, if it is a Kubernetes Job, has
  // neither completed nor failed. A Job's status says so a moment after its
  // last pod has ended, and no event reports it (watching Jobs needs more
  // permissions than reading one), so ask again.
  virtual bool MayReplace(const ObjectName& owner) = 0;

  // Reads controllers of pods; returns one state per name, in order. A name
  // that is now that of another object is gone. What may not be read is
  // unknown.
  virtual std::vector<ControllerState> ReadControllers(
      std::span<const ObjectName> controllers) = 0;

  // Records events, best effort, in the order given; skips pods that are gone.
  virtual void Record(std::span<const PodEvent> events) = 0;

  // Likewise; returns one result per condition.
  virtual std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) = 0;

  // Returns one result per group; each group is named once.
  virtual std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) = 0;
};

}  // namespace fluxnetes::cluster
