// Groups placed for a caller that asks where so many pods can run, and starts
// the pods itself: the calls Match and Cancel of Fluence and its gRPC service.
// Such a group is a row of pod_groups without pods; the request of its pods is
// stored in external_groups. The match places it like any other group:
//
//   Ask ──▶ pending ──▶ allocated ──▶ over: cancelled, or after its lifetime
//              │ │
//              │ └────▶ reserved ──▶ allocated, when its time comes
//              └──────▶ gone: no room (caller_gate.h)
//
// Its pods are not bound here and have no rows, conditions or events, and it is
// never evicted. A caller that asks for the same again under the same name gets
// the existing group, so a repeated call does not hold resources twice. A group
// does not outlive a vanished caller for ever: one that is not placed by the
// caller's deadline is given up (start_by_deadlines.h), unless the caller
// accepts a reservation; one that holds nodes ends after its lifetime
// (cleanup.h).
//
// Thread-safe. Throws sql::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

struct ExternalAsk {
  std::string namespace_name;
  std::string name;       // empty: named after its number, never shared
  std::string mark = {};  // distinguishes asks under one name
  std::string queue;
  cluster::PodRequest request;  // of each pod
  std::int32_t pods = 1;
  bool reserve = false;  // the caller accepts a reservation
  // How long it holds its nodes, unless it is cancelled.
  std::chrono::seconds lifetime{std::chrono::hours(48)};
  cluster::Time answer_by{};  // no caller waits for an answer after this
};

struct ExternalTicket {
  GroupId group = 0;
  int asks = 1;  // calls so far that asked for the group
};

struct ExternalAnswer {
  struct Node {
    std::string name;
    std::int32_t pods = 0;
    bool operator==(const Node&) const = default;
  };
  enum class State {
    kWaits,      // not decided yet
    kAllocated,  // it holds `nodes`
    kReserved,   // it will hold `nodes` from `start`
    kGone        // it had no room, or has ended
  };
  State state = State::kGone;
  std::vector<Node> nodes = {};  // in order of name
  std::int64_t start = 0;        // seconds since 1970, if reserved
};

class ExternalGroups {
 public:
  // Further writes in the transaction that makes or ends a group.
  using Along = std::function<void(sql::Transaction& transaction,
                                   const std::string& namespace_name,
                                   const std::string& group_name)>;

  ExternalGroups(sql::Pool& pool, queue::WorkQueue& jobs)
      : pool_(pool), jobs_(jobs) {}

  // Returns nothing if there is no queue of that name.
  std::optional<ExternalTicket> Ask(const ExternalAsk& ask, cluster::Time now,
                                    const Along& along = nullptr);

  ExternalAnswer Look(GroupId group);

  // Returns nothing if it is not an external group, or is about to end.
  std::optional<std::string> NamespaceOf(GroupId group);

  // Ends the group of a caller that has stopped waiting without an answer,
  // unless another call has asked for the same group since.
  void Withdraw(const ExternalTicket& ticket);

  // Ends the group. Returns false if it is not an external group, or is about
  // to end already.
  bool Cancel(GroupId group, const std::string& reason,
              const Along& along = nullptr);

 private:
  bool End(const ExternalTicket& ticket, std::optional<int> asks,
           const std::string& reason, const Along& along);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
};

}  // namespace fluxnetes::workers
