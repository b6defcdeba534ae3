// What is held inside of nodes that have a structure: sockets, NUMA domains,
// cores, GPUs, islands, NICs, memory; with spans over time. A task takes
// vertices of its node by a jobspec, as Fluxion's matcher does in a graph of
// this node alone.
//
//   NodeInterior interior;
//   interior.Set(node, ReadShortStructure("sockets: 2, cores: 64, gpus: 8"));
//   const ShapeId shape =
//       interior.Take(RequestOf({.align = Align::kSocket, .cpus = 8}));
//   if (interior.Fit(node, shape, 1, {now, end, now}) == 1) {
//     interior.Book(job, /*task=*/0, node, shape, {now, end, now});
//   }
//
// Vertices are taken whole and alone. Nothing ends by itself: a task past its
// end keeps its vertices at `now`, and windows in the future take it to end at
// now + 1, as in NodeGraph.
//
// Nodes of equal structure share one, and what a task takes is searched once
// for each set of taken vertices. A node itself has a few bytes and the spans
// of its tasks.
//
// Owned by one thread. Reads no clock and writes no log. Misuse, such as a task
// that is booked twice or an unknown shape, throws std::invalid_argument.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/inside_request.h"
#include "matcher/nodes/node_set.h"
#include "matcher/policy.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

// When a task would run, [from, end), as seen at `now`, which is not after
// `from`.
struct InsideWindow {
  Time from = 0;
  Time end = kForever;
  Time now = 0;
  // What these jobs hold counts as free.
  std::span<const JobId> without = {};
};

// Tasks that are planned on a node for the same window and not booked yet.
struct TasksBeside {
  ShapeId shape = kNoShape;
  int tasks = 0;
};

// What the kubelet of a node has given away in one of its domains, to whomever.
struct GivenInside {
  std::string domain;  // name of the vertex, such as "numa0"
  std::string type;    // "core", "gpu", "nic"
  std::int64_t vertices = 0;
  bool operator==(const GivenInside&) const = default;
};

// A domain of a node, such as a socket, and the numbers of the NUMA domains
// that it is or has. They are those of the node's kernel.
struct InsideDomain {
  std::string path;
  std::vector<std::int64_t> numa;
};

struct InsideTask {
  JobId job = 0;
  int task = 0;
};

// Which tasks the kubelet of a node refuses (topology manager of Kubernetes).
enum class TasksOfKubelet {
  kAny,
  kInFewestDomains,  // all others: policy restricted
  kInOneDomain,      // all others: policy single-numa-node
};

struct InsideOptions {
  Policy policy = Policy::kLow;
  // What is known of states is forgotten when it takes more memory.
  std::size_t state_bytes = 64 << 20;
};

class NodeInterior {
 public:
  explicit NodeInterior(const InsideOptions& options = {});
  ~NodeInterior();
  NodeInterior(NodeInterior&&) noexcept;
  NodeInterior& operator=(NodeInterior&&) noexcept;

  // Returns the number of the request, the same for equal requests. It is kept
  // until it was given back as often as it was taken.
  ShapeId Take(const InsideRequest& request);
  ShapeId Take(const Jobspec& below_node) {
    return Take(RequestOf(below_node));
  }
  void Give(ShapeId shape);
  bool Knows(ShapeId shape) const;
  const InsideRequest& Of(ShapeId shape) const;

  // Sets the structure of a node: the one node of the graph, or its root, and
  // what is below it. Tasks keep the vertices that they hold, by path. What the
  // structure does not have they hold again when it has it. Throws
  // std::invalid_argument for a graph that is no inside of a node.
  void Set(NodeIndex node, const ResourceGraph& inside);
  // Makes the structure unknown.
  void Unset(NodeIndex node);
  // The structure; null: it is not known. The root is the node. Valid until
  // the next Set() or Unset().
  const ResourceGraph* StructureOf(NodeIndex node) const;
  // Those domains of the node whose NUMA domains are known; none of islands.
  // Valid until the next Set() or Unset().
  const std::vector<InsideDomain>& DomainsOf(NodeIndex node, Align align) const;

  // What the kubelet of the node has given away, and the tasks that have some
  // of it, in place of those known. All others are on their way to it.
  //
  // If a domain has more given away than its tasks hold, and another one less,
  // tasks are taken to be where it is more. They keep what was planned for
  // them, too, which PartsOf() says. What is then more is kept from all windows
  // for others: as many vertices, those first that no task holds. Which ones
  // the kubelet gave is not known.
  void SetGiven(NodeIndex node, std::vector<GivenInside> given);
  void SetAdmitted(NodeIndex node, std::span<const InsideTask> tasks);
  // The kubelet says nothing of it any more.
  void ForgetGiven(NodeIndex node);

  // How the kubelet of a node places tasks: kAny until it is set, and for
  // nodes without a structure. Where what it has given away is known, it admits
  // all tasks that fit beside those on their way to it, in whatever order they
  // come, and wherever it puts them. Where it is not, and later, tasks are
  // taken to be where they were seen last, or planned.
  void SetKubelet(NodeIndex node, TasksOfKubelet places);
  // From now on tasks on their way to a kubelet are taken to get what was
  // planned for them: for a run ahead of time, of which no kubelet tells.
  void TrustPlans();
  // False if tasks of the shape hold nothing on any node now: it is what
  // kubelets demand, and no node has such a kubelet.
  bool Counts(ShapeId shape) const;

  // Returns how many tasks of the shape, at most `limit`, can be booked on the
  // node for the window, one after the other, once the tasks beside are booked
  // in their order; Book() does not ask whether the kubelet admits them, too.
  // On a node without a structure: `limit`, or none if the shape is required.
  int Fit(NodeIndex node, ShapeId shape, int limit, const InsideWindow& window,
          std::span<const TasksBeside> beside = {});
  // The same if nothing were held on the node.
  int FitEmpty(NodeIndex node, ShapeId shape, int limit,
               std::span<const TasksBeside> beside = {});

  // Books a task that holds nothing yet. Returns the vertices that it takes, in
  // order of index: none on a node without a structure. Returns nothing if the
  // task does not fit.
  std::optional<std::vector<VertexIndex>> Book(JobId job, int task,
                                               NodeIndex node, ShapeId shape,
                                               const InsideWindow& window);
  // Books what is known to be held, even if another task holds it too: what
  // runs cannot be refused. False if the node lacks some of it, or another task
  // holds some of it at that time. `demand`: as in its request. Throws
  // PartsError if the text is malformed.
  bool Restore(JobId job, int task, NodeIndex node, std::string_view parts,
               Time start, Time end, const KubeletDemand& demand = {});
  const KubeletDemand& DemandOf(ShapeId shape) const;
  // True if the node has these parts, and no other task holds some of them in
  // the window. Throws PartsError.
  bool IsFree(NodeIndex node, std::string_view parts,
              const InsideWindow& window) const;
  // False if the task or the job holds nothing.
  bool Release(JobId job, int task);
  bool Cancel(JobId job);

  // What the task holds, as a text for Restore() (parts_text.h); empty if it
  // holds nothing.
  std::string PartsOf(JobId job, int task) const;
  // The same as vertices of the node's structure, in order of index.
  std::vector<VertexIndex> VerticesOf(JobId job, int task) const;
  // The same as R version 1, in JSON, for the node of this name and rank. An
  // end of kForever is written as 0.
  std::string ResourceSetOf(JobId job, int task, std::string_view node,
                            std::int64_t rank = 0) const;

  // Describes all that is held, equal for interiors in which the same tasks
  // hold the same: a line for each task, in order of node, job and task.
  std::string Describe() const;
  // The same of one node, without the numbers of tasks.
  std::vector<std::string> DescribeOn(NodeIndex node) const;

  // How many searches were made; other answers were known.
  std::int64_t searches() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
