// What a command talks to: its streams, the terminal behind them if there is
// one, the clock and the wish of the user to stop. Tests give it strings.
//
// Plain value; `stopped` may be called from any thread.
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
  bool terminal = false;  // `out` is one: a table may be redrawn in place
  bool colour = false;    // a terminal, and NO_COLOR is not set
  // The size of the terminal now; (0, 0) if `out` is none.
  std::function<std::pair<int, int>()> size;  // columns, rows
  std::function<sql::Timestamp()> now;        // for ages
  std::function<const char*(const char*)> environment;
  // Waits, and returns whether the user wants to stop (SIGINT, SIGTERM).
  std::function<bool(std::chrono::milliseconds)> wait;
};

}  // namespace fluxnetes::services
