// YAML text as JSON values, one per document. JSON is YAML.
//
// Plain scalars have the types of the core schema of YAML 1.2 (section 10.3.2:
// "yes" is text), quoted ones are text. Merge keys (<<) are merged. Aliases are
// expanded.
//
// What is read is bounded: a text that is too large, nested too deeply, or that
// grows too much by aliases is refused before it costs memory or stack. Throws
// InputError for these and whatever else is wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Says where it is wrong, what, and what would be right:
// "jobs.yaml:12:3: ...".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct YamlLimits {
  std::size_t bytes = std::size_t{16} << 20U;
  int depth = 100;
  std::size_t values = 1'000'000;  // aliases count as what they stand for
};

// Takes the documents in order, each with the line where it begins (from 1);
// empty ones are left out. `source` names the text in errors.
using TakeDocument = std::function<void(nlohmann::json document, int line)>;
void ReadYaml(std::string_view text, const std::string& source,
              const TakeDocument& take, const YamlLimits& limits = {});

}  // namespace fluxnetes::cluster
