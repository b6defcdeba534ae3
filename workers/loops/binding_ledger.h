// The ledger of bindings made by this process's binder. With it intake need not
// read a pod's record again when the watch reports what the binder has just
// recorded itself.
//
//   Begin ──▶ under way ──▶ recorded ──▶ forgotten, once intake has seen it
//                 └───▶ forgotten: intake reads the pod's record as usual
//
// Only bindings recorded for a whole group, as the cluster shows it, count as
// recorded. A binding in doubt is forgotten. The ledger does not outlive the
// process.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sql/mutex.h"

namespace fluxnetes::workers {

class BindingLedger {
 public:
  enum class Standing { kUnknown, kUnderWay, kRecorded };

  // Records, before the first POST, that these pods are being bound.
  void Begin(const std::vector<std::string>& uids) EXCLUDES(mutex_);

  // Records, after the commit, that of the pods passed to Begin() (`begun`)
  // those in `uids` are bound to `nodes`; the rest of them that is still under
  // way is forgotten.
  void End(const std::vector<std::string>& begun,
           const std::vector<std::string>& uids,
           const std::vector<std::string>& nodes) EXCLUDES(mutex_);

  // True if the pod's binding is under way, or recorded and not yet seen by
  // intake.
  bool Knows(const std::string& uid) const EXCLUDES(mutex_);

  // True if any binding is under way.
  bool AnyUnderWay() const EXCLUDES(mutex_);

  // The state of the pod's binding to this node; kRecorded is returned once.
  Standing Take(const std::string& uid, const std::string& node)
      EXCLUDES(mutex_);

  // Forgets all recorded bindings, as the watch has begun anew.
  void ForgetRecorded() EXCLUDES(mutex_);

 private:
  mutable sql::Mutex mutex_;
  // The node of a recorded binding; empty: under way.
  std::unordered_map<std::string, std::string> nodes_ GUARDED_BY(mutex_);
  // Number of such entries in nodes_.
  std::int64_t under_way_ GUARDED_BY(mutex_) = 0;
};

}  // namespace fluxnetes::workers
