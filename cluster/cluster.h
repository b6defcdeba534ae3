// The door to the cluster: everything that the scheduler needs of it, and
// nothing else. Two implementations stand behind it, the Kubernetes API and a
// simulated cluster; nothing above this folder knows which one it has, and both
// pass one contract suite (tests/cluster/contract/contract.h).
//
// All functions are thread-safe. What the cluster answers is a value; that it
// cannot be reached is an exception (Unreachable).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "cluster/objects/job_marks.h"
#include "cluster/objects/namespace.h"
#include "cluster/objects/node.h"
#include "cluster/objects/pod.h"
#include "cluster/objects/pod_group.h"
#include "cluster/objects/storage_class.h"
#include "cluster/objects/volume.h"
#include "cluster/objects/volume_claim.h"
#include "cluster/objects/watched_kind.h"

namespace fluxnetes::cluster {

class Unreachable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The cluster is there and will not have it: a right is missing, or a policy is
// against it. To ask again soon would not change that.
class Refused : public Unreachable {
 public:
  using Unreachable::Unreachable;
};

// What a watch says. A list begins with kListBegin and ends with kListEnd: all
// objects come as kChanged between them, and whatever a watcher knew and was
// not told in between is gone. That happens at the start and whenever the
// cluster cannot say what was missed. A list may be of one kind alone, also
// within a list of all kinds; one that begins again before its end has been cut
// off. A list of all kinds is one of nodes and pods; an optional kind has its
// own within it, or is passed over. Objects are shared, because one event goes
// to several watchers, and never change.
struct WatchEvent {
  enum class Kind { kListBegin, kListEnd, kChanged, kDeleted };
  Kind kind = Kind::kChanged;
  std::variant<
      std::monostate, std::shared_ptr<const Pod>, std::shared_ptr<const Node>,
      std::shared_ptr<const PodGroup>, std::shared_ptr<const VolumeClaim>,
      std::shared_ptr<const Volume>, std::shared_ptr<const StorageClass>,
      std::shared_ptr<const Namespace>, std::shared_ptr<const JobMarks>>
      object = {};
  std::optional<WatchedKind> listed = {};  // of a list: of this kind alone
};

// A stream of events, used by one thread. Its buffer is bounded: a watcher that
// is too slow gets a new list instead of every step.
class Watch {
 public:
  virtual ~Watch() = default;

  // Up to `limit` events in order; waits up to `timeout` for the first one.
  // Throws nothing for a lost connection: the watch comes back with a list.
  virtual std::vector<WatchEvent> Next(int limit,
                                       std::chrono::milliseconds timeout) = 0;
};

// Gives the pod of this UID, at this resource version, to the node.
struct Binding {
  std::string namespace_name;
  std::string pod_name;
  std::string uid;
  std::string resource_version;  // empty: any
  std::string node_name;
};

enum class BindOutcome {
  kBound,     // by this call
  kConflict,  // another UID or version, or it has a node already: look again
  kGone,      // no such pod
  kRefused    // the API server will not have it; `message` says why
};

struct BindResult {
  BindOutcome outcome = BindOutcome::kBound;
  std::string message;
};

// Says on a claim which node its pod is to have, so that a volume is made for
// it there (annotation volume.kubernetes.io/selected-node; Kubernetes: "Storage
// Classes", volume binding mode). The claim has this UID and resource version.
struct NodeAnnouncement {
  std::string namespace_name;
  std::string claim_name;
  std::string uid;
  std::string resource_version;
  std::string node_name;
};

enum class AnnounceOutcome {
  kWritten,
  kConflict,  // gone, another UID or version: look again
  kRefused    // the API server will not have it; `message` says why
};

struct AnnounceResult {
  AnnounceOutcome outcome = AnnounceOutcome::kWritten;
  std::string message;
};

// What can be deleted.
struct ObjectName {
  std::string kind;  // Pod, Job, or the kind of another controller
  std::string namespace_name;
  std::string name;
  std::string uid;  // precondition; empty: any
};

// What has come of touching a pod.
struct TouchResult {
  std::string resource_version;  // the new one; empty: it was not touched
  // Since it has a node; null: it is gone.
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
  // Happens once in a pod's life, or on this occasion of it: told again, there
  // is still one such event.
  bool once = false;
  std::string occasion = {};
};

// A condition of a pod: PodScheduled=False, or DisruptionTarget=True, which
// says that the scheduler is about to end it, so that its Job need not count
// that as a failure (Kubernetes: "Disruptions", "Pod failure policy").
struct PodCondition {
  enum class Type { kNotScheduled, kDisruptionTarget };
  std::string namespace_name;
  std::string pod_name;
  std::string pod_uid;
  std::string reason;  // Unschedulable, SchedulingGated, PreemptionByScheduler
  std::string message;
  // Set only while the pod is at this version, so not once it is bound; empty:
  // whatever it is at.
  std::string resource_version = {};
  // Since when its status is so, which another reason does not change
  // (Kubernetes API conventions, lastTransitionTime: "when the underlying
  // condition changed"): that it is not scheduled since the pod was created.
  // That it is to go since now: what is older than two minutes, or says no
  // time, Kubernetes takes back.
  std::optional<Time> since = {};
  Type type = Type::kNotScheduled;
};

// The status that a PodGroup is to have, while it is at this version.
struct PodGroupNews {
  PodGroupName group;
  std::string uid;
  std::string resource_version;
  PodGroupStatus status;
  bool turned = true;  // its condition has not been so
};

enum class StatusOutcome {
  kSet,       // or said so before
  kConflict,  // gone, another UID or version: look again
  kRefused    // the API server will not have it: want of a right, for instance
};

struct StatusResult {
  StatusOutcome outcome = StatusOutcome::kSet;
  std::string resource_version = {};  // of the object, with the status
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  // All pods of all namespaces and schedulers, and all nodes; and of the
  // optional kinds (watched_kind.h) what the cluster has.
  virtual std::unique_ptr<Watch> WatchAll() = 0;

  // One result per binding, in order. Several are under way at once; the call
  // returns when each has its answer. 429 and 5xx are tried again, as
  // Retry-After says, until `deadline`, then Unreachable is thrown: some may
  // have been bound.
  virtual std::vector<BindResult> Bind(std::span<const Binding> bindings,
                                       std::chrono::milliseconds deadline) = 0;

  // One result per announcement, in order.
  virtual std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) = 0;

  // The pod as it is now; nothing if there is none.
  virtual std::optional<Pod> GetPod(const std::string& namespace_name,
                                    const std::string& name) = 0;

  // Changes nothing but the pods' resource versions (by an annotation), so that
  // a binding under way that names an old one meets a conflict. One result per
  // pod, in order; one of another UID is gone. Throws Refused.
  virtual std::vector<TouchResult> Touch(std::span<const ObjectName> pods) = 0;

  // In the background, with what it controls. False if it is not there (or
  // has another UID). Throws Refused.
  virtual bool Delete(const ObjectName& object) = 0;

  // The topmost controller of a pod's controller; the owner itself if it has
  // none above, nothing if it is not there.
  virtual std::optional<ObjectName> TopOwner(const ObjectName& owner) = 0;

  // Whether this controller may still make a pod for one of its own that ended:
  // it is there, is not being deleted, and, if it is a Kubernetes Job, has
  // neither completed nor failed. A Job says so a moment after its last pod
  // has ended, and no event tells: watching Jobs would want more rights than
  // reading one, so ask again.
  virtual bool MayReplace(const ObjectName& owner) = 0;

  // Best effort, in the order given; a pod that is gone is passed over.
  virtual void Record(std::span<const PodEvent> events) = 0;

  // The same; one result per condition.
  virtual std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) = 0;

  // One result per group, each named once.
  virtual std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) = 0;
};

}  // namespace fluxnetes::cluster
