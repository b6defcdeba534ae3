#include "tests/queue/support/recorded_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "sql/error.h"

namespace fluxnetes::queue {
namespace {

std::string WordOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kSnoozed:
      return "snoozed";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kDiscarded:
      return "discarded";
  }
  throw std::logic_error("no such outcome");
}

std::string Said(const std::vector<Inserted>& inserted) {
  std::string text;
  for (const Inserted& one : inserted) text += fmt::format(" {}", one.id);
  return text;
}
std::string Said(const std::vector<Job>& jobs) {
  std::string text;
  for (const Job& job : jobs)
    text += fmt::format(" {}:{}", job.id, job.attempt);
  return text;
}
std::string Said(const std::vector<bool>& accepted) {
  std::string text;
  for (const bool one : accepted) text += one ? " 1" : " 0";
  return text;
}

}  // namespace

RecordedQueue::RecordedQueue(WorkQueue& jobs, const std::string& path)
    : jobs_(jobs),
      file_(
          open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw std::runtime_error("cannot write " + path);
}

// Writes each line in one call, so that it is there whole or not at all.
void RecordedQueue::Write(char side, const std::string& text) {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  const std::string line =
      fmt::format("{} {} {} {}\n", side, calls_,
                  std::chrono::nanoseconds(time).count(), text);
  if (write(file_, line.data(), line.size()) !=
      static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the history cannot be written");
}

template <typename Work>
auto RecordedQueue::Recorded(const std::string& call, Work work) {
  Write('>', call);
  try {
    auto answer = work();
    Write('<', "given" + Said(answer));
    ++calls_;
    return answer;
  } catch (const sql::Error& error) {
    Write('<', error.InDoubt() ? "doubt" : "failed");
    ++calls_;
    throw;
  }
}

void RecordedQueue::Insert(const std::string& queue,
                           const std::vector<std::string>& names) {
  std::vector<NewJob> batch;
  std::string call = "insert";
  for (const std::string& name : names) {
    NewJob job;
    job.kind = "recorded";
    job.queue = queue;
    job.args = fmt::format(R"({{"name": "{}"}})", name);
    job.max_attempts = kNoLimit;
    batch.push_back(job);
    call += " " + name;
  }
  Recorded(call, [&] { return jobs_.Insert(batch); });
}

std::vector<Job> RecordedQueue::Lease(const std::string& queue,
                                      std::int64_t client, int limit) {
  return Recorded("lease", [&] { return jobs_.Lease(queue, client, limit); });
}

std::vector<bool> RecordedQueue::Finish(std::span<const JobResult> results) {
  std::string call = "finish";
  for (const JobResult& result : results)
    call += fmt::format(" {}:{}:{}", result.id, result.attempt,
                        WordOf(result.outcome));
  return Recorded(call, [&] { return jobs_.Finish(results); });
}

}  // namespace fluxnetes::queue
