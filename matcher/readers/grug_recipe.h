// The recipe of a GRUG file, as the text has it.
//
// Plain values.
// Tests: tests/matcher/readers/grug_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

struct GrugVertex {
  bool root = false;
  std::string type;
  std::string basename;
  std::string unit;
  std::string subsystem;
  std::int64_t size = 1;
  std::vector<int> out;  // edges, in the order of the text
};

struct GrugEdge {
  enum class Method { kMultiply, kAssociateIn, kAssociateByPathIn };

  int source = 0;
  int target = 0;
  std::string name;  // for error messages
  std::string subsystem;
  Method method = Method::kMultiply;
  std::int64_t scale = 1;
  std::int64_t id_scope = 0;
  std::int64_t id_start = 0;
  std::int64_t id_stride = 1;
  std::string path_subsystem;  // the paths to compare
  std::int64_t target_up = 0;  // names to cut from their ends
  std::int64_t source_up = 0;
};

struct GrugRecipe {
  std::vector<GrugVertex> vertices;
  std::vector<GrugEdge> edges;
};

// Throws GraphError.
GrugRecipe ReadGrugRecipe(std::string_view text);

}  // namespace fluxnetes::matcher
