#include "queue/store/leasing.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "queue/store/job_row.h"
#include "queue/store/lease_queries.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes kNotePause{5};
constexpr milliseconds kLongPause{60'000};
constexpr int kPausePerLook = 1'000;

std::vector<Job> JobsInOrder(const sql::Result& leased) {
  std::vector<Job> jobs;
  jobs.reserve(leased.size());
  for (const sql::Row row : leased) jobs.push_back(JobFrom(row));
  std::ranges::sort(jobs, {}, [](const Job& job) {
    return std::tuple(job.priority, job.scheduled_at, job.id);
  });
  return jobs;
}

std::optional<std::string> SnapshotOf(const LowWaterMark& mark) {
  if (mark.snapshot().empty()) return std::nullopt;
  return mark.snapshot();
}

// Leases by `run`, which executes a query with its arguments.
template <typename Run>
std::vector<Job> RunLease(Run run, const LowWaterMark& mark,
                          const std::string& queue, std::int64_t client,
                          int limit) {
  const Marks& marks = mark.marks();
  return JobsInOrder(run(queries::kLeaseJobs, queue, client, limit, marks[0],
                         marks[1], marks[2], marks[3], SnapshotOf(mark)));
}

Glance GlanceFrom(const sql::Row& row) {
  Glance glance;
  glance.server = row.Get<std::string>(0);
  glance.time = row.Get<sql::Timestamp>(1);
  glance.snapshot = row.Get<std::string>(2);
  for (int i = 0; i < 4; ++i)
    glance.first.at(i) = row.Find<sql::Timestamp>(3 + i);
  glance.rewound_to = row.Find<sql::Timestamp>(7);
  glance.transaction = row.Get<unsigned long>(8);
  return glance;
}

}  // namespace

std::vector<Job> Leasing::Lease(const std::string& queue, std::int64_t client,
                                int limit, sql::Durability durability) {
  Line& line = LineOf(queue);
  Glance(queue);
  if (IsDue(line, &Line::next_note, kNotePause))
    sql::RunAlone(pool_, queries::kUseQueue, queue);
  const auto run = [&](const auto&... arguments) {
    if (durability == sql::Durability::kWait)
      return sql::RunAlone(pool_, arguments...);
    sql::Transaction transaction(pool_, sql::Isolation::kReadCommitted,
                                 durability);
    sql::Result leased = transaction.Run(arguments...);
    transaction.Commit();
    return leased;
  };
  std::vector<Job> jobs = RunLease(run, MarkOf(line), queue, client, limit);
  if (!jobs.empty() || !options_.look_at_all) return jobs;
  return LookAtAll(line, queue, client, limit);
}

std::vector<Job> Leasing::Lease(sql::Transaction& transaction,
                                const std::string& queue, std::int64_t client,
                                int limit) {
  const auto run = [&](const auto&... arguments) {
    return transaction.Run(arguments...);
  };
  return RunLease(run, MarkOf(LineOf(queue)), queue, client, limit);
}

std::vector<Job> Leasing::LookAtAll(Line& line, const std::string& queue,
                                    std::int64_t client, int limit) {
  if (!IsDue(line, &Line::next_look_at_all, kLongPause)) return {};
  const auto run = [&](const auto&... arguments) {
    return sql::RunAlone(pool_, arguments...);
  };
  const Clock::time_point begin = Clock::now();
  std::vector<Job> jobs = RunLease(run, LowWaterMark(), queue, client, limit);
  const Clock::time_point end = Clock::now();
  const sql::MutexLock lock(line.mutex);
  line.next_look_at_all = end + std::min<Clock::duration>(
                                    kPausePerLook * (end - begin), kLongPause);
  return jobs;
}

void Leasing::Glance(const std::string& queue) {
  Line& line = LineOf(queue);
  if (!IsDue(line, &Line::next_glance, options_.glance)) return;
  const sql::MutexLock one(line.glancing);
  // Sometimes from the start of the queue, for rows that were changed by hand.
  const bool full =
      options_.look_at_all && IsDue(line, &Line::next_full_glance, kLongPause);
  LowWaterMark mark = full ? LowWaterMark() : MarkOf(line);
  const Marks& marks = mark.marks();
  mark.See(GlanceFrom(sql::RunAlone(pool_, queries::kGlanceAtQueue, queue,
                                    marks[0], marks[1], marks[2], marks[3],
                                    SnapshotOf(mark))[0]));
  const sql::MutexLock lock(line.mutex);
  line.mark = std::move(mark);
}

Leasing::Line& Leasing::LineOf(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  auto& line = lines_[queue];
  if (line == nullptr) line = std::make_unique<Line>();
  return *line;
}

LowWaterMark Leasing::MarkOf(Line& line) {
  const sql::MutexLock lock(line.mutex);
  return line.mark;
}

bool Leasing::IsDue(Line& line, Clock::time_point Line::*next,
                    Clock::duration pause) {
  const Clock::time_point now = Clock::now();
  const sql::MutexLock lock(line.mutex);
  if (now < line.*next) return false;
  line.*next = now + pause;
  return true;
}

}  // namespace fluxnetes::queue
