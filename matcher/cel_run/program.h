// An expression in CEL that is compiled once and evaluated often.
//
//   const Program program("device.driver == 'gpu.example.com'", environment);
//   const Program::Result result = program.Evaluate({&device, 1}, 1'000'000);
//
// Constant after construction, so threads can share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "matcher/cel/checker.h"
#include "matcher/cel_run/value.h"

namespace fluxnetes::matcher::cel {

class Program {
 public:
  // Throws ExpressionError. The expression must yield a bool, or what is known
  // only when evaluated.
  Program(std::string_view expression, const Environment& environment);

  struct Result {
    bool value = false;
    std::string error = {};  // empty: `value` counts
    std::uint64_t cost = 0;
  };
  // The values of the environment's variables, in the order of their names.
  // What costs more than `limit` is an error.
  Result Evaluate(std::span<const Value> variables, std::uint64_t limit) const;

 private:
  struct Compiled;

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fluxnetes::matcher::cel
