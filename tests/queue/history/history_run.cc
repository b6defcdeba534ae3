#include "tests/queue/history/history_run.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "sql/error.h"
#include "tests/queue/support/recorded_queue.h"
#include "tests/support/places.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kQueue = "history";

std::string FreshFolder() {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-history.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  return folder;
}

std::vector<int> Numbers(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream in(text);
  for (int number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

HistoryRun::HistoryRun(testing::PrivateServer& server,
                       const RoundOptions& options)
    : server_(server),
      options_(options),
      random_(options.seed),
      database_(true, server.connection()),
      folder_(FreshFolder()),
      processes_(static_cast<std::size_t>(options.processes)) {}

HistoryRun::~HistoryRun() {
  processes_.clear();
  std::filesystem::remove_all(folder_);
}

std::vector<std::string> HistoryRun::Run() {
  for (std::size_t place = 0; place < processes_.size(); ++place)
    StartProcess(place);
  for (int fault = 0; fault < options_.faults; ++fault) {
    Pause(100);
    if (fault == options_.faults / 2) BreakServer();
    DoFault();
  }
  Pause(100);
  if (!options_.sabotage.empty()) Sabotage();
  EndProcesses();
  WorkOff();
  for (int file = 0; file < files_; ++file)
    ReadCalls(fmt::format("{}/{}", folder_, file), history_.calls);
  ReadLastStates();
  Count();
  return Violations(history_);
}

void HistoryRun::StartProcess(std::size_t place) {
  processes_[place].reset();
  processes_[place] = std::make_unique<testing::Process>(
      std::vector<std::string>{testing::BuiltProgram("tests/history_worker"),
                               server_.connection(), database_.schema(),
                               fmt::format("{}/{}", folder_, files_),
                               std::to_string(random_() % 1'000'000)},
      std::map<std::string, std::string>{}, folder_ + "/log");
  ++files_;
}

void HistoryRun::Pause(int at_most_milliseconds) {
  std::this_thread::sleep_for(milliseconds(
      std::uniform_int_distribution(20, at_most_milliseconds)(random_)));
}

void HistoryRun::DoFault() {
  const auto dice = random_() % 10;
  if (dice < 4) return KillClient();
  if (dice < 6) return StopClientBeyondItsLease();
  CutConnections();
}

void HistoryRun::Sabotage() {
  if (!testing::WaitUntil(seconds(60), [this] {
        return database_.Ask("WITH broken AS (" + options_.sabotage +
                             ") SELECT count(*) FROM broken") != "0";
      }))
    throw std::runtime_error("nothing to break");
}

void HistoryRun::KillClient() {
  ++counts_["client killed"];
  const std::size_t place = random_() % processes_.size();
  processes_[place]->Kill();
  StartProcess(place);
}

// Others find it dead and take its jobs; it wakes up without knowing that.
void HistoryRun::StopClientBeyondItsLease() {
  ++counts_["client stopped beyond its lease"];
  const testing::Process& process = *processes_[random_() % processes_.size()];
  process.Signal(SIGSTOP);
  std::this_thread::sleep_for(milliseconds(550));
  process.Signal(SIGCONT);
}

void HistoryRun::CutConnections() {
  ++counts_["connections cut"];
  database_.Execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'history' ORDER BY random() LIMIT 1 + "
      "(random() * 5)::integer");
}

void HistoryRun::BreakServer() {
  if (options_.server == ServerFault::kNone) return;
  if (options_.server == ServerFault::kKilled) {
    ++counts_["server killed"];
    server_.Kill();
  } else {
    ++counts_["server stopped at once (-m immediate)"];
    server_.StopAtOnce();
  }
  server_.Start();
}

// A process that has just started may not handle the signal yet.
void HistoryRun::CheckEnd(std::optional<int> status) const {
  if (status && (*status == 0 || *status == -SIGTERM)) return;
  std::ifstream log(folder_ + "/log");
  throw std::runtime_error(
      fmt::format("a process did not stop ({}): {}",
                  status ? std::to_string(*status) : "it still runs",
                  std::string(std::istreambuf_iterator<char>(log), {})));
}

// Every other process is asked to stop and hands over; the others are killed.
void HistoryRun::EndProcesses() {
  for (std::size_t place = 0; place < processes_.size(); place += 2)
    processes_[place]->Signal(SIGTERM);
  for (std::size_t place = 1; place < processes_.size(); place += 2)
    processes_[place]->Kill();
  for (std::size_t place = 0; place < processes_.size(); place += 2)
    CheckEnd(processes_[place]->WaitForEnd(seconds(60)));
}

// All clients are dead: their jobs must be rescued, and scheduled ones must
// become due.
void HistoryRun::WorkOff() {
  database_.pool().CloseAll();
  database_.Execute("DELETE FROM clients");
  sql::PoolOptions options = database_.options();
  options.by_index_only = true;
  sql::Pool pool(options);
  WorkQueue jobs(pool);
  RecordedQueue recorded(jobs, fmt::format("{}/{}", folder_, files_++));
  Client client(pool, {.time_to_live = std::chrono::minutes(5)});
  client.Register();
  jobs.Rescue();
  testing::WaitUntil(seconds(120), [&] {
    database_.Execute(
        "UPDATE jobs SET scheduled_at = now() "
        "WHERE state IN ('scheduled', 'retryable') AND scheduled_at > now()");
    jobs.MakeDueAvailable();
    std::vector<JobResult> results;
    for (const Job& job : recorded.Lease(kQueue, client.id(), 100)) {
      results.emplace_back();
      results.back().id = job.id;
      results.back().attempt = job.attempt;
    }
    if (!results.empty()) recorded.Finish(results);
    return database_.Ask("SELECT count(*) FROM jobs") == "0";
  });
}

void HistoryRun::ReadLastStates() {
  const std::string attempts =
      "(SELECT string_agg(e ->> 'attempt', ' ') FROM jsonb_array_elements("
      "errors) AS e WHERE (e ->> 'message' = '" +
      std::string(kTold) + "') = ";
  const std::string columns = "id, args ->> 'name', state, attempt, " +
                              attempts + "true), " + attempts + "false)";
  std::istringstream rows(database_.AskAll("SELECT " + columns +
                                           " FROM jobs UNION ALL SELECT " +
                                           columns + " FROM jobs_finished"));
  for (std::string row; std::getline(rows, row);) {
    std::istringstream in(row);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
    history_.jobs.push_back({.id = std::stoll(cells.at(0)),
                             .name = cells.at(1),
                             .state = cells.at(2),
                             .attempt = std::stoi(cells.at(3)),
                             .failed = Numbers(cells.at(4)),
                             .rescued = Numbers(cells.at(5))});
  }
}

void HistoryRun::Count() {
  counts_["jobs"] += static_cast<int>(history_.jobs.size());
  for (const LastState& job : history_.jobs)
    counts_["attempts rescued"] += static_cast<int>(job.rescued.size());
  for (const Call& call : history_.calls) {
    const bool given = call.answer == Call::Answer::kGiven;
    if (call.answer == Call::Answer::kInDoubt) ++counts_["calls in doubt"];
    if (call.answer == Call::Answer::kFailed) ++counts_["calls failed"];
    if (given) ++counts_["calls answered"];
    if (!given || call.what != "finish") continue;
    for (const std::string& answer : call.answers)
      ++counts_[answer == "1" ? "results accepted" : "results refused"];
  }
}

}  // namespace fluxnetes::queue
