// Groups that are placed for somebody who asked where so many pods could run
// and starts them himself: the calls Match and Cancel of the forerunners. Such
// a group is a row of pod_groups without pods; what each of its pods needs
// stands in external_groups. The match places it like any other:
//
//   Ask ──▶ pending ──▶ allocated ──▶ over: cancelled, or after its lifetime
//              │ │
//              │ └────▶ reserved ──▶ allocated, when its time comes
//              └──────▶ gone: no room (pressing_line.h)
//
// Nothing of it is bound, its pods' rows, conditions and events are nobody's,
// and it is never evicted. Whoever asks for the same under the same name again
// gets the group that there is, so a call that is repeated holds nothing twice.
// A caller that is gone leaves nothing for ever: a group that nobody has placed
// by the caller's deadline is given up (late_starts.h), unless a reservation
// will do; one that holds nodes is over after its lifetime (cleanup.h).
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
  std::string name;       // empty: named after its number, asked for once
  std::string mark = {};  // tells asks under one name apart
  std::string queue;
  cluster::PodRequest request;  // of each pod
  std::int32_t pods = 1;
  bool reserve = false;  // a reservation will do
  // So long it holds its nodes, unless it is cancelled.
  std::chrono::seconds lifetime{std::chrono::hours(48)};
  cluster::Time answer_by{};  // then nobody waits for the answer any more
};

struct ExternalTicket {
  GroupId group = 0;
  int asks = 1;  // calls so far that asked for it
};

struct ExternalAnswer {
  struct Node {
    std::string name;
    std::int32_t pods = 0;
    bool operator==(const Node&) const = default;
  };
  enum class State {
    kWaits,      // it is not decided yet
    kAllocated,  // it has `nodes`
    kReserved,   // it will have `nodes` at `start`
    kGone        // there was no room, or it is over
  };
  State state = State::kGone;
  std::vector<Node> nodes = {};  // in order of name
  std::int64_t start = 0;        // seconds since 1970
};

class ExternalGroups {
 public:
  // What else is to be written in the transaction that makes or ends a group.
  using Along = std::function<void(sql::Transaction& transaction,
                                   const std::string& namespace_name,
                                   const std::string& group_name)>;

  ExternalGroups(sql::Pool& pool, queue::WorkQueue& jobs)
      : pool_(pool), jobs_(jobs) {}

  // Nothing if there is no queue of that name.
  std::optional<ExternalTicket> Ask(const ExternalAsk& ask, cluster::Time now,
                                    const Along& along = nullptr);

  ExternalAnswer Look(GroupId group);

  // Nothing: it is none of these groups, or is about to end.
  std::optional<std::string> NamespaceOf(GroupId group);

  // The caller waits no longer and has not been told of it: it ends, unless
  // another call has asked for the same meanwhile.
  void Withdraw(const ExternalTicket& ticket);

  // Ends it. False: it is none of these groups, or is about to end.
  bool Cancel(GroupId group, const std::string& reason,
              const Along& along = nullptr);

 private:
  bool End(const ExternalTicket& ticket, std::optional<int> asks,
           const std::string& reason, const Along& along);

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
};

}  // namespace fluxnetes::workers
