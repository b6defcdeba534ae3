// A folder with jobspecs, and a resource-query session in it on a small graph.
// The tests of sessions derive from it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "matcher/resource_query/session.h"

namespace fluxnetes::matcher {

class SessionStage : public ::testing::Test {
 protected:
  // The folder has core.yaml, which asks for a core, and node.yaml, which asks
  // for a whole node, both for 60 seconds. The policy is low, the format
  // simple.
  SessionStage();
  ~SessionStage() override;

  // Starts the session anew, on the graph of `picture_`.
  void Start(const char* policy, MatchFormat format);
  std::string Save(const std::string& name, const std::string& text);
  // Runs a command; % stands for the folder. Returns the lines of the results.
  std::string Run(std::string line);
  // Runs a command a line. Returns a line for each: what it printed, results
  // first, without bars, indents and times, and after that its errors:
  //
  //   core0[1:x]; node0[1:s]; JOBID=1; RESOURCES=ALLOCATED; SCHEDULED AT=Now
  //   1, ALLOCATED, 0, core.yaml
  //   error: cancel: ERROR: nonexistent job 2
  std::string Play(const std::string& lines);

  std::string folder_;
  std::string picture_;  // two nodes of two cores, unless a test changes it
  QueryOptions options_;
  std::ostringstream results_;
  std::ostringstream standard_;
  std::ostringstream errors_;
  std::unique_ptr<Session> session_;
};

}  // namespace fluxnetes::matcher
