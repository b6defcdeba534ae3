// Groups in random states, as rows that a scheduler could have left:
// incomplete, refused, waiting, with a reservation or a drain set, held,
// deferred, recalled, unsatisfiable, allocated, bound, bound in part after
// members were replaced, sent back, evicted, cancelled, elastic, external and
// finished ones; with estimates from now and from before, reasons of their own
// and of their shape, holds, quotas, paused queues, cordoned nodes and
// maintenance. Also what is to be said of each of them, which does not come
// from the database.
//
// The same seed gives the same rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::services {

// What is to be said of a group.
struct ExpectedGroup {
  std::int64_t id = 0;                  // 0: refused
  std::string name;                     // "namespace/name"
  std::string state;                    // as GroupRow.shown_state
  std::string reason;                   // empty: none
  std::optional<sql::Timestamp> start;  // the estimate
  std::optional<sql::Timestamp> bound_at;
  std::string reservation;  // reservation, drain; empty: none
  bool active = true;       // in pod_groups
  bool waits = false;       // for nodes, all its pods or some
  bool ranked = false;      // it is in the pending order
  bool holds = false;       // it has an allocation
  bool considered = true;   // the match has looked at it
  int size = 1;
  int bound = 0;     // pods
  int waiting = 0;   // pods without a place
  std::string pool;  // the label that its pods ask of nodes; empty: none
};

class RandomGroups {
 public:
  RandomGroups(std::uint64_t seed, sql::Timestamp now);

  // Statements that fill the tables, after having emptied them.
  const std::string& sql() const { return sql_; }
  const std::vector<ExpectedGroup>& groups() const { return groups_; }
  // The label `pool` of each node.
  const std::map<std::string, std::string>& pools() const { return pools_; }

 private:
  // A row of pod_groups; values of type time are SQL.
  struct Row {
    std::int64_t id = 0;
    std::string name_space, name, queue;
    int size = 1;
    int shape = 1;
    std::string state = "pending";
    std::string phase;  // empty: null
    std::string own;    // its own reason
    bool first_in_line = false;
    std::string held_at = "NULL", start_after = "NULL";
    std::string allocated_at = "NULL", went_back_at = "NULL", bound_at = "NULL";
    std::string max_size = "NULL";
    std::string cancel;  // its cancel_reason
    bool evicted = false;
    bool external = false;
    std::string pool;    // its pods ask for
    std::string others;  // statements that follow that of the group
    int pods = 0;        // rows in `pods` so far
    std::string Full() const { return name_space + "/" + name; }
  };

  static constexpr const char* kNull = "NULL";
  static constexpr int kLongAgo = -7'200;  // seconds from now

  int Pick(int from, int to);  // both inclusive
  bool Chance(double chance);
  std::string Any(const std::vector<std::string>& of);
  std::string At(int seconds) const;  // quoted

  void AddCluster();
  void AddReasons();
  ExpectedGroup& Expect(const std::string& state);
  void AddIncomplete();
  void AddRefused();
  void AddFinished();
  void AddWaiting(const std::string& phase);
  void AddUnsatisfiable();
  void AddPlaced(bool bound);
  void AddBoundInPart();
  void AddSentBack();
  void AddExternal();
  void MayEnd(Row& row);
  void MayReserve(Row& row, bool surely);
  void AddEstimate(Row& row);
  void AddPod(Row& row, const std::string& state,
              const std::string& replaced_by, bool placed);
  void Write(Row& row);

  std::mt19937_64 random_;
  const sql::Timestamp now_;
  const bool accounts_;
  std::int64_t next_id_;
  std::string sql_;
  std::map<std::string, std::string> pools_;
  std::map<std::string, std::string> reasons_;  // by queue, shape, namespace
  std::vector<ExpectedGroup> groups_;
};

}  // namespace fluxnetes::services
