// Counts the differences that the full comparison (resync.h) found between the
// cluster, the records and the graph in memory, by kind, with the first few
// names. All counts should stay 0. Each difference is repaired, but it shows a
// fault of the scheduler or of what lies between it and the cluster, so it
// deserves an investigation.
//
// Collected from several threads, for metrics and the log, and written to the
// table resync_differences. Thread-safe.
// Tests: tests/workers/resync/resync_pgtest.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::workers {

enum class DifferenceKind {
  kPodEvent,    // the watch has missed a change of a pod
  kNodeEvent,   // the watch has missed a change of a node
  kPod,         // the record of a pod differs from the cluster
  kGroup,       // a filling group is miscounted
  kJob,         // a group lacks its match, bind or cleanup job
  kPlace,       // a place is held for a pod that has ended or is unknown
  kGraphNode,   // a node in the graph, or other pods' use of it, differs
  kGraphPlaces  // what groups hold of a node in the graph differs
};

inline constexpr std::size_t kDifferenceKinds = 8;

// The name as in the table: "pod event", ...
std::string_view NameOf(DifferenceKind kind);

class Differences {
 public:
  using Names = std::vector<std::string>;
  // Called for each find, with the first few names, on the finding thread.
  using OnFound =
      std::function<void(DifferenceKind, std::int64_t, const Names&)>;

  explicit Differences(OnFound on_found = nullptr)
      : on_found_(std::move(on_found)) {}

  // Does nothing if there are no names.
  void Note(DifferenceKind kind, Names names) EXCLUDES(mutex_);

  // Counts since this process began, by kind.
  std::array<std::int64_t, kDifferenceKinds> counts() const EXCLUDES(mutex_);
  std::int64_t total() const;

  // Adds to the table what is not written yet. Throws sql::Error; the counts
  // are then written by the next call.
  void Write(sql::Pool& pool) EXCLUDES(mutex_);

 private:
  struct Unwritten {
    std::int64_t count = 0;
    Names names;
  };

  const OnFound on_found_;
  mutable sql::Mutex mutex_;
  std::array<std::int64_t, kDifferenceKinds> counts_ GUARDED_BY(mutex_) = {};
  std::array<Unwritten, kDifferenceKinds> unwritten_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::workers
