// Reads YAML text as JSON values, one per document. JSON is YAML.
//
// Plain scalars have the types that the reader asks for, quoted ones are
// strings. Merge keys (<<) are merged. Aliases are expanded. A key that is
// there twice is an error, in JSON too.
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

// What plain scalars are (yaml_scalar.h).
enum class YamlTypes {
  // As kubectl reads them. A key is typed too and then written as text: the key
  // `no` is "false", 010 is "8". A merge replaces the keys before it.
  kKubernetes,
  // The core schema of YAML 1.2, for files of our own. A key stays as written.
  // A merge replaces no key.
  kCore
};

// Called with the documents in order, each with the line where it begins (from
// 1); empty documents are skipped. `source` names the text in errors.
using TakeDocument = std::function<void(nlohmann::json document, int line)>;
void ReadYaml(std::string_view text, const std::string& source,
              const TakeDocument& take, const YamlLimits& limits = {},
              YamlTypes types = YamlTypes::kKubernetes);

}  // namespace fluxnetes::cluster
