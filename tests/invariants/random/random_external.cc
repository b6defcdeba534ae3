// Callers of a random run that request placements and start the pods
// themselves.
#include <algorithm>

#include "tests/invariants/random/random_run.h"

namespace fluxnetes::testing {

using std::chrono::seconds;

workers::ExternalGroups RandomRun::External() {
  return {system_.process->pool, system_.process->jobs};
}

// Uses few names, so that some requests are repeated.
void RandomRun::AskFromOutside() {
  workers::ExternalAsk ask;
  ask.namespace_name = AnySpace();
  if (Chance(0.7)) ask.name = fmt::format("outside{}", Pick(1, 4));
  ask.mark = fmt::format("{}", Pick(1, 2));
  ask.queue = AnyQueue();
  if (ask.queue.empty()) ask.queue = "default";
  ask.request.resources.cpu_milli = Pick(1, 5) * 1'000L;
  ask.request.resources.pods = 1;
  ask.pods = Pick(1, 6);
  ask.reserve = Chance(0.5);
  ask.lifetime = seconds(Pick(5, 600));
  ask.answer_by = system_.cluster.Now() + seconds(5);
  const auto ticket = External().Ask(ask, system_.cluster.Now());
  if (!ticket) return;
  asked_.push_back(*ticket);
  Note(fmt::format(
      "external group {} '{}' of {} x {} for {} s, {}, in queue '{}', ask {}",
      ticket->group, ask.name, ask.pods, ask.request.resources.cpu_milli,
      ask.lifetime.count(), ask.reserve ? "later will do" : "now", ask.queue,
      ticket->asks));
}

const workers::ExternalTicket* RandomRun::AnyAsk() {
  if (asked_.empty()) return nullptr;
  const int last = static_cast<int>(asked_.size()) - 1;
  return &asked_[Pick(Chance(0.8) ? std::max(0, last - 4) : 0, last)];
}

void RandomRun::LeaveOutside() {
  const auto* ask = AnyAsk();
  if (ask == nullptr) return;
  if (Chance(0.3)) {
    Note(fmt::format("who asked for {} waits no longer", ask->group));
    External().Withdraw(*ask);
  } else {
    Note(fmt::format("cancel external group {}", ask->group));
    External().Cancel(ask->group, "as wished");
  }
}

// Creates a pod on one of the group's nodes, under the group's name.
void RandomRun::StartOutside() {
  const auto* ask = AnyAsk();
  if (ask == nullptr) return;
  const auto answer = External().Look(ask->group);
  if (answer.state != workers::ExternalAnswer::State::kAllocated) return;
  const std::string name = system_.Ask(
      fmt::format("SELECT namespace || '/' || group_name FROM pod_groups "
                  "WHERE id = {}",
                  ask->group));
  const auto slash = name.find('/');
  cluster::PodTemplate pod{};
  pod.pod.namespace_name = name.substr(0, slash);
  pod.pod.name = name.substr(slash + 1);
  pod.pod.scheduler_name = "default-scheduler";
  pod.pod.node_name =
      answer.nodes[Pick(0, static_cast<int>(answer.nodes.size()) - 1)].name;
  pod.pod.request.resources = {.cpu_milli = Pick(1, 2) * 1'000L, .pods = 1};
  pod.run.length = seconds(Pick(5, 300));
  Note(fmt::format("start {} on {} as external group {}", name,
                   pod.pod.node_name, ask->group));
  system_.cluster.CreatePod(pod);
}

}  // namespace fluxnetes::testing
