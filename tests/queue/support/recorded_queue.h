// A work queue whose every call and answer is written down (history.h), in a
// file that outlives the process. One thread.
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

  // Each throws sql::Error as the queue does, after it is written down.
  void Insert(const std::string& queue, const std::vector<std::string>& names);
  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit);
  // An error is the word told, so that it can be told from those of a rescue.
  std::vector<bool> Finish(std::span<const JobResult> results);

 private:
  template <typename Work>
  auto Recorded(const std::string& call, Work work);
  void Write(char side, const std::string& text);

  WorkQueue& jobs_;
  int file_;  // to the end of the process
  int calls_ = 0;
};

// As the errors of a job name a failure that its worker told.
inline constexpr const char* kTold = "told";

}  // namespace fluxnetes::queue
