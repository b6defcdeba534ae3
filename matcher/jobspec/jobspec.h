// What a job asks of the resource graph: a tree of resources with counts, the
// shape in which tasks get them (slots), for how long, and on which nodes.
// Flux RFC 14, as Fluxion reads it.
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

// min, then more of them up to max: `+` in steps of operand, `*` min times
// powers of operand, `^` min, min^operand, (min^operand)^operand and so on.
struct Count {
  static constexpr std::uint32_t kNoMax =
      std::numeric_limits<std::uint32_t>::max();

  std::uint32_t min = 1;
  std::uint32_t max = 1;
  char op = '+';
  std::uint32_t operand = 1;

  bool operator==(const Count&) const = default;
  // How many to take where there are `available`; 0 if they do not do.
  std::uint64_t Take(std::uint64_t available) const;
  // The most that is ever taken.
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
  int top = 0;          // the first `top` of them stand at the top
  double duration = 0;  // seconds; 0: as long as can be
  std::string queue;
  Constraint constraint;
};

// A text that is no jobspec. what() says where (line, path), what is wrong and
// what would be right.
class JobspecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxJobspecBytes = 1 << 20;
inline constexpr int kMaxJobspecResources = 10'000;
inline constexpr int kMaxJobspecDepth = 64;

// YAML or JSON. Throws JobspecError.
Jobspec ParseJobspec(std::string_view text);

}  // namespace fluxnetes::matcher
