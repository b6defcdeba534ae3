// What a job requests of the resource graph: a tree of resources with counts,
// the shape in which tasks get them (slots), the duration, and a constraint on
// nodes. Flux RFC 14, as Fluxion reads it.
//
// Plain values. Resources lie in one array, the children of each side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/graph/constraint.h"

namespace fluxnetes::matcher {

// A count of at least min and at most max: `+` adds steps of operand, `*`
// multiplies min by powers of operand, `^` takes min, min^operand,
// (min^operand)^operand and so on.
struct Count {
  static constexpr std::uint32_t kNoMax =
      std::numeric_limits<std::uint32_t>::max();

  std::uint32_t min = 1;
  std::uint32_t max = 1;
  char op = '+';
  std::uint32_t operand = 1;

  bool operator==(const Count&) const = default;
  // Returns how many to take of `available`; 0 if they do not suffice.
  std::uint64_t Take(std::uint64_t available) const;
  // Returns the most that is ever taken.
  std::uint64_t Most() const { return Take(kNoMax); }
};

struct JobResource {
  std::string type;
  Count count;
  std::optional<bool> exclusive;
  std::string label;
  int parent = -1;
  int first = 0;  // children: resources [first, last)
  int last = 0;

  bool operator==(const JobResource&) const = default;
};

struct Jobspec {
  std::vector<JobResource> resources;
  int top = 0;          // the first `top` are the top level
  double duration = 0;  // seconds; 0: as long as possible
  std::string queue;
  Constraint constraint;
};

// A text that is not a jobspec. what() gives the place (line, path), the fault
// and what would be right.
class JobspecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxJobspecBytes = 1 << 20;
inline constexpr int kMaxJobspecResources = 10'000;
inline constexpr int kMaxJobspecDepth = 64;

// Reads YAML or JSON. Throws JobspecError.
Jobspec ParseJobspec(std::string_view text);

}  // namespace fluxnetes::matcher
