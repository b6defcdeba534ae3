// The environment of a command: its streams, their terminal if there is one,
// the clock, and the user's wish to stop. Tests pass strings.
//
// Plain value; `stopped` may be called from any thread.
// Tests: tests/services/records/views_pgtest.cc.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>

#include "sql/values/parameter.h"

namespace fluxnetes::services {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  // Whether `out` is one: a table may be redrawn in place.
  bool terminal = false;
  bool colour = false;  // on a terminal, unless NO_COLOR is set
  // The present size of the terminal; (0, 0) if `out` is none.
  std::function<std::pair<int, int>()> size;  // columns, rows
  std::function<sql::Timestamp()> now;        // for ages
  std::function<const char*(const char*)> environment;
  // Waits for that long; returns true if the user wants to stop (SIGINT,
  // SIGTERM).
  std::function<bool(std::chrono::milliseconds)> wait;
};

}  // namespace fluxnetes::services
