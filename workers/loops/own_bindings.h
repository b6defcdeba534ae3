// The bindings that the binder of this process is about, so that intake need
// not read the record of each pod again when the watch tells what the binder
// has just written itself.
//
//   Begin ──▶ under way ──▶ recorded ──▶ forgotten, once intake has seen it
//                 └───▶ forgotten: intake looks at the pod as at any other
//
// Only what was recorded whole, as the cluster shows it, counts as recorded;
// whatever is in doubt is forgotten, and all of it with the process.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace fluxnetes::workers {

class OwnBindings {
 public:
  enum class Standing { kUnknown, kUnderWay, kRecorded };

  // Before the first POST: these pods are being bound.
  void Begin(const std::vector<std::string>& uids);

  // After the commit, of those that one Begin() named: these pods (and their
  // nodes) are recorded; the others that are still under way are forgotten.
  void End(const std::vector<std::string>& begun,
           const std::vector<std::string>& uids,
           const std::vector<std::string>& nodes);

  // Whether it is about this pod, or has been and intake has not seen it.
  bool Knows(const std::string& uid) const;

  // Whether a binding is under way.
  bool AnyUnderWay() const;

  // How the binding of a pod to this node stands; kRecorded is said once.
  Standing Take(const std::string& uid, const std::string& node);

  // Forgets all that is recorded: the watch has begun anew.
  void ForgetRecorded();

 private:
  mutable std::mutex mutex_;
  // Protected by mutex_: the node of a recorded binding; empty: under way.
  std::unordered_map<std::string, std::string> nodes_;
  std::int64_t under_way_ = 0;  // of nodes_
};

}  // namespace fluxnetes::workers
