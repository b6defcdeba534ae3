// The internals of NodeDevices.
// Tests: tests/matcher/node_devices/node_devices_test.cc,
// tests/matcher/node_devices/node_devices_random_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matcher/devices/device_kinds.h"
#include "matcher/devices/device_states.h"
#include "matcher/node_devices/device_pools.h"
#include "matcher/node_devices/device_reasons.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

struct NodeDevices::State {
  using StateId = DeviceStates::StateId;

  // A device that a node can use, by position in the layout.
  struct Place {
    PoolId pool = 0;
    SlotId slot = 0;
    ContentId content = 0;
    // Nothing: this node alone.
    std::optional<DeviceNodes> nodes = {};
  };
  // A device of a pool of the node that the node cannot use, but that takes of
  // the counters of the pool.
  struct Outsider {
    SlotId slot = 0;
    std::vector<DeviceLayout::Use> uses;
  };
  struct PoolOfNode {
    PoolId pool = 0;
    int first = 0;  // positions
    int last = 0;
    bool wide = false;
    std::vector<Outsider> outsiders;
  };
  // The state of a node while the same is taken of its pools.
  struct Seen {
    StateId state = kNone;
    std::vector<std::uint64_t> numbers;  // PoolTakings::Taken::number
  };
  struct Node {
    std::string name;                      // empty: there is no such node
    mutable std::optional<Labels> labels;  // nothing: not asked for yet
    bool known = false;                    // what follows is as of these epochs
    std::uint32_t view_epoch = 0;
    std::uint32_t kinds_epoch = 0;
    std::uint32_t layouts_epoch = 0;
    bool wide = false;
    std::vector<PoolOfNode> pools;
    std::vector<Place> places;
    DeviceStates* states = nullptr;
    Seen seen;
    Seen seen_empty;
    std::vector<std::pair<JobId, std::int32_t>> tasks;  // that hold devices
  };

  struct Class {
    DeviceClass content;
    std::string error;  // of a selector; empty: none
  };
  struct Question {
    QuestionId id = 0;
    DeviceQuestion question;
    std::vector<ProbeId> probes;  // to be given back
  };
  using Numa = std::optional<std::vector<std::int64_t>>;
  struct Request {
    TaskDevices devices;
    Numa numa = {};  // as for TakeWithin(); nothing: devices of any place
    int uses = 0;
    bool shares = false;  // some claims are of several tasks
    // By the set of claims, as bits, that have their devices already.
    std::map<std::uint64_t, Question> questions;
    // LooksBeyondNode(), as of this version of pools and epoch of kinds.
    bool beyond = false;
    std::pair<std::uint64_t, std::uint32_t> beyond_as_of = {0, 0};
    bool beyond_known = false;
  };

  struct Hold {
    NodeIndex node = -1;
    Time start = 0;
    Time end = 0;
    std::vector<AllocatedDevice> devices;
  };
  using TaskOfJob = std::pair<JobId, std::int32_t>;

  // What a claim of several tasks has.
  struct Pinned {
    std::vector<AllocatedDevice> devices;
    DeviceNodes nodes;
  };
  // What tasks that are not booked take, beside what is booked.
  struct Overlay {
    std::vector<std::pair<PoolId, SlotUse>> uses;
    std::map<std::string, Pinned> pinned;
  };
  // The tasks beside that were planned last, one by one, and what they take.
  struct Trial {
    std::vector<std::pair<NodeIndex, DevicesId>> tasks;
    bool fits = true;
    Overlay overlay;
    std::uint64_t version = 0;
    bool empty = false;
    Time from = 0;
    Time end = 0;
    Time now = 0;
    std::vector<JobId> without;
  };

  // The job of tasks that are not booked.
  static constexpr JobId kUnbooked = std::numeric_limits<JobId>::min();

  // node_devices.cc
  Node& NodeAt(NodeIndex node);
  void ForgetName(NodeIndex node);
  const Labels& LabelsOf(const Node& node) const;
  Request& RequestOf(DevicesId devices);
  DevicesId Take(const TaskDevices& devices, Numa numa);
  void Touch(const std::set<std::string>& nodes);
  void ForgetQuestions(const std::string& device_class);
  void GiveQuestions(Request& request);

  // node_devices_question.cc
  const Question& QuestionOf(Request& request, std::uint64_t pinned);
  void AddClaim(const TaskDevices& devices, int claim, Question& question);
  DeviceQuestion::Choice ChoiceOf(const DeviceClaim& claim,
                                  const DeviceRequest& request,
                                  const DeviceChoice& wanted,
                                  Question& question);

  // node_devices_view.cc
  void Look(Node& node);
  void View(Node& node);
  DeviceLayout LayoutOf(Node& node,
                        const std::vector<DevicePools::OnNode>& pools);
  DeviceStates& StatesOf(DeviceLayout layout);
  void LimitStates();
  StateId StateIn(Node& node, const InsideWindow* window);
  StateId StateIn(Node& node, const InsideWindow* window,
                  const Overlay& overlay);
  void AddTaken(const Node& node, int pool, const PoolTakings::Taken& taken,
                DeviceWords& words) const;
  const PoolTakings::Taken& TakenOf(PoolId pool, const InsideWindow* window);

  // node_devices_fit.cc
  struct Placed {
    std::uint64_t pinned = 0;  // claims that have their devices already
    std::vector<AllocatedDevice> pinned_devices;
    std::vector<DevicePick> picks;
  };
  int FitIn(NodeIndex index, DevicesId devices, int limit,
            const InsideWindow* window, std::span<const DevicesBeside> beside);
  bool IsAlone(const Node& node, NodeIndex index, const Request& request,
               std::span<const DevicesBeside> beside);
  int FitAlone(Node& node, NodeIndex index, Request& request, int limit,
               const InsideWindow* window,
               std::span<const DevicesBeside> beside);
  int FitInTrial(NodeIndex index, DevicesId devices, int limit,
                 const InsideWindow* window,
                 std::span<const DevicesBeside> beside);
  void Plan(const InsideWindow* window,
            const std::vector<std::pair<NodeIndex, DevicesId>>& tasks);
  bool PlaceOne(NodeIndex index, DevicesId devices, const InsideWindow* window,
                Overlay& overlay);
  std::optional<Placed> PlaceIn(NodeIndex index, DevicesId devices,
                                const InsideWindow* window,
                                const Overlay& overlay);
  std::optional<Pinned> PinnedBy(const std::string& claim,
                                 const InsideWindow* window,
                                 const Overlay& overlay) const;
  bool IsWithin(const Question& question, const Pinned& pinned) const;
  bool IsUsable(const Node& node, const std::string& claim,
                const Pinned& pinned, const InsideWindow* window,
                const Overlay& overlay) const;
  std::optional<std::vector<DevicePick>> Search(Node& node, Request& request,
                                                const Placed& placed,
                                                StateId state);
  int PatternOf(const Node& node, AttributeId attribute,
                std::int32_t value) const;

  // node_devices_hold.cc
  void Hang(JobId job, int task, Hold hold);
  void Drop(JobId job, int task);
  const Hold* HoldOf(JobId job, int task) const;
  static SlotUse UseOf(const AllocatedDevice& device, SlotId slot);
  std::vector<AllocatedDevice> PickedBy(
      JobId job, int task, Time start, const Node& node, const Request& request,
      const std::vector<DevicePick>& picks) const;

  // node_devices_explain.cc
  std::string ClassFault(const std::string& name) const;
  bool CountSelected(const DeviceQuestion::Choice& choice, ProbeId within,
                     ContentId content, ChoiceCounts& counts);
  ChoiceCounts CountOn(const Node& node, const DeviceQuestion::Choice& choice,
                       ProbeId within, DeviceWords words);
  std::string WhatIsShort(const Node& node,
                          const DeviceQuestion::Choice& choice,
                          DeviceWords words) const;
  std::optional<DeviceObstacle> ExplainRequest(const Node& node,
                                               const Request& request,
                                               const DeviceQuestion& question,
                                               const DeviceWords& words);
  DeviceObstacle ExplainTogether(const Node& node, const Request& request,
                                 const DeviceQuestion& question,
                                 const DeviceWords& words);

  DeviceKinds kinds;
  DevicePools pools{kinds};
  std::vector<Node> nodes;
  LabelSource label_source;
  std::unordered_map<std::string, NodeIndex> node_index;
  std::uint32_t view_epoch = 1;
  std::map<std::string, Class, std::less<>> classes;
  std::unordered_map<DevicesId, Request> requests;
  std::unordered_multimap<std::size_t, DevicesId> request_index;
  DevicesId next_request = 0;
  QuestionId next_question = 0;
  std::map<std::string, Pinned> allocated;  // by claim
  std::map<JobId, std::map<std::int32_t, Hold>> holds;
  // The tasks that hold something by a claim of several tasks.
  std::map<std::string, std::set<TaskOfJob>> sharers;
  std::vector<std::unique_ptr<DeviceStates>> layouts;
  std::unordered_multimap<std::size_t, DeviceStates*> layout_index;
  std::uint32_t layouts_epoch = 1;
  std::uint32_t kinds_forgotten = 0;
  int calls_to_limit = 0;
  std::uint64_t version = 1;  // of all that counts
  Trial trial;
};

}  // namespace fluxnetes::matcher
