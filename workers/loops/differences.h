// What the full comparison (resync.h) found to differ between the cluster, the
// records and the graph in memory, by kind: how often, and the first few that
// it was. All of it should be 0 for ever; what is found is healed, and each is
// a fault of ours or of what lies between, so it is worth a look.
//
// Gathered from several threads, for metrics and the log, and written to the
// table resync_differences. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/pool.h"

namespace fluxnetes::workers {

enum class DifferenceKind {
  kPodEvent,    // the watch has not told of a change of a pod
  kNodeEvent,   // nor of a node
  kPod,         // what is recorded of a pod is not what the cluster shows
  kGroup,       // a group that fills is miscounted
  kJob,         // nobody is to place, bind or clean up a group
  kPlace,       // a place is held for a pod that has ended or is not known
  kGraphNode,   // the graph in memory has another node, or other use by others
  kGraphPlaces  // what groups hold of a node in the graph is not as recorded
};

inline constexpr std::size_t kDifferenceKinds = 8;

// "pod event", ...: as in the table.
std::string_view NameOf(DifferenceKind kind);

class Differences {
 public:
  using Names = std::vector<std::string>;
  // Told of each find, with the first few names; from the finding thread.
  using OnFound =
      std::function<void(DifferenceKind, std::int64_t, const Names&)>;

  explicit Differences(OnFound on_found = nullptr)
      : on_found_(std::move(on_found)) {}

  // Nothing if there are no names.
  void Note(DifferenceKind kind, Names names);

  // Since this process began, by number of the kind.
  std::array<std::int64_t, kDifferenceKinds> counts() const;
  std::int64_t total() const;

  // Adds what is not written yet to the table. Throws sql::Error, and keeps it
  // then.
  void Write(sql::Pool& pool);

 private:
  struct Unwritten {
    std::int64_t count = 0;
    Names names;
  };

  const OnFound on_found_;
  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::array<std::int64_t, kDifferenceKinds> counts_{};
  std::array<Unwritten, kDifferenceKinds> unwritten_;
};

}  // namespace fluxnetes::workers
