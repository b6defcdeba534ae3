// Reads YAML text as JSON values, one per document. JSON is YAML.
//
// Plain scalars have the types of the core schema of YAML 1.2 (section 10.3.2:
// "yes" is a string), quoted ones are strings. Merge keys (<<) are merged.
// Aliases are expanded.
//
// Input is bounded: a text that is too large, nested too deeply, or that grows
// too much by aliases is refused before it costs memory or stack. Throws
// InputError for these and all other faults.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// The message has the place, the fault and the syntax expected:
// "jobs.yaml:12:3: ...".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct YamlLimits {
  std::size_t bytes = std::size_t{16} << 20U;
  int depth = 100;
  std::size_t values = 1'000'000;  // counted with aliases expanded
};

// Called with the documents in order, each with the line where it begins (from
// 1); empty documents are skipped. `source` names the text in errors.
using TakeDocument = std::function<void(nlohmann::json document, int line)>;
void ReadYaml(std::string_view text, const std::string& source,
              const TakeDocument& take, const YamlLimits& limits = {});

}  // namespace fluxnetes::cluster
