// One round of the history test of a work queue: several processes
// (history_worker) work on one queue while they, their connections and the
// server are killed and stopped at random; then the remaining jobs are worked
// off and the history is checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/queue/history/history.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::queue {

enum class ServerFault { kNone, kStoppedAtOnce, kKilled };

struct RoundOptions {
  unsigned seed = 1;
  int processes = 4;
  int faults = 4;  // of clients and connections
  // Happens in the midst of the faults.
  ServerFault server = ServerFault::kNone;
  // SQL that breaks the queue's guarantees, run until it has changed a row
  // once.
  std::string sabotage = {};
};

class HistoryRun {
 public:
  HistoryRun(testing::PrivateServer& server, const RoundOptions& options);
  ~HistoryRun();
  HistoryRun(const HistoryRun&) = delete;
  HistoryRun& operator=(const HistoryRun&) = delete;

  // Returns the violations; none if the history is valid.
  std::vector<std::string> Run();

  // Calls by result, refused results, faults by name.
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  void StartProcess(std::size_t place);
  void Pause(int at_most_milliseconds);
  void DoFault();
  void Sabotage();
  void KillClient();
  void StopClientBeyondItsLease();
  void CutConnections();
  void BreakServer();
  void EndProcesses();
  void CheckEnd(std::optional<int> status) const;
  void WorkOff();
  void ReadLastStates();
  void Count();

  testing::PrivateServer& server_;
  const RoundOptions options_;
  std::mt19937 random_;
  testing::TestDatabase database_;
  std::string folder_;
  std::vector<std::unique_ptr<testing::Process>> processes_;
  int files_ = 0;
  History history_;
  std::map<std::string, int> counts_;
};

}  // namespace fluxnetes::queue
