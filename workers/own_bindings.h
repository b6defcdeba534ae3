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

  // After the commit: those of these pods (and their nodes) that were under way
  // are recorded; the others under way are forgotten.
  void End(const std::vector<std::string>& uids,
           const std::vector<std::string>& nodes);

  // How the binding of a pod to this node stands; kRecorded is said once.
  Standing Take(const std::string& uid, const std::string& node);

  // Forgets all that is recorded: the watch has begun anew.
  void ForgetRecorded();

 private:
  std::mutex mutex_;
  // Protected by mutex_: the node of a recorded binding; empty: under way.
  std::unordered_map<std::string, std::string> nodes_;
};

}  // namespace fluxnetes::workers
