// Gangs of 1 to 8 pods that come, run and end by the dozen on eight nodes,
// chosen by a seed (FLUXNETES_TEST_SEED, 1 without it), while a test disturbs
// who schedules them. Meanwhile what always holds is compared with the API
// server's own pods, and must agree within two minutes; in the end every gang
// has run whole and once.
//
//   RunAll(60, [&] { Disturb(); return true; });
//   ExpectAllRanOnce();
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {

class CrowdOnKubernetes : public OnKubernetes {
 protected:
  CrowdOnKubernetes() { starts_ = false; }
  // Starts no scheduler.
  void SetUp() override;
  void TearDown() override;

  static unsigned Seed();

  // Makes so many gangs, a few at a time, and more until `between` says that
  // it has done what it had to; returns when all their pods have ended.
  // `between` is called again and again, and takes as long as it likes.
  void RunAll(int gangs, const std::function<bool()>& between);
  // And left nothing behind.
  void ExpectAllRanOnce();

  static void Rest();

  int pods() const { return pods_; }
  PodJournal& journal() { return *journal_; }

  std::mt19937 random_{Seed()};

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  void SubmitSome(int gangs);
  void CheckInvariants();
  void ClearAway();

  int made_ = 0;  // gangs
  int pods_ = 0;
  std::vector<std::string> cleared_;  // names of gangs, some in each
  std::unique_ptr<PodJournal> journal_;
  std::map<std::string, SteadyTime> wrong_since_;
};

}  // namespace fluxnetes::testing
