#include "queue/runner/workers.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace fluxnetes::queue {

Workers& Workers::Add(const std::string& kind,
                      std::function<void(RunningJob&)> work,
                      WorkerOptions options) {
  return Insert(kind, {.work = std::move(work),
                       .is_blocking = true,
                       .options = std::move(options)});
}

Workers& Workers::AddCallback(const std::string& kind,
                              std::function<void(RunningJob)> begin,
                              WorkerOptions options) {
  return Insert(
      kind,
      {.work = [begin = std::move(begin)](RunningJob& job) { begin(job); },
       .is_blocking = false,
       .options = std::move(options)});
}

Workers& Workers::Insert(const std::string& kind, Worker worker) {
  if (kind.empty()) throw std::invalid_argument("a worker needs a kind");
  if (!workers_.emplace(kind, std::make_shared<const Worker>(std::move(worker)))
           .second)
    throw std::invalid_argument(
        fmt::format("the kind {} has a worker already", kind));
  return *this;
}

std::shared_ptr<const Worker> Workers::Find(const std::string& kind) const {
  const auto found = workers_.find(kind);
  return found == workers_.end() ? nullptr : found->second;
}

}  // namespace fluxnetes::queue
