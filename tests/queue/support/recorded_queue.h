// A work queue that records every call and its result (history.h) in a file
// that outlives the process. Used by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "queue/store/work_queue.h"

namespace fluxnetes::queue {

class RecordedQueue {
 public:
  RecordedQueue(WorkQueue& jobs, const std::string& path);

  // Each throws sql::Error as the queue does, after recording it.
  void Insert(const std::string& queue, const std::vector<std::string>& names);
  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit);
  // Errors are the word kTold, which distinguishes them from those of a rescue.
  std::vector<bool> Finish(std::span<const JobResult> results);

 private:
  template <typename Work>
  auto Recorded(const std::string& call, Work work);
  void Write(char side, const std::string& text);

  WorkQueue& jobs_;
  int file_;  // open until the process ends
  int calls_ = 0;
};

// The error text of a failure that a worker reported.
inline constexpr const char* kTold = "told";

}  // namespace fluxnetes::queue
