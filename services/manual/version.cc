#include "services/manual/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "migrations/migrations.h"
#include "services/console/output.h"

namespace fluxnetes::services {

std::string_view Version() { return FLUXNETES_VERSION; }

ExitCode RunVersion(const VersionOptions& options, Console& console) {
  const int schema = migrations::All().back().version;
#ifdef FLUXNETES_FAULTS
  constexpr bool kFaults = true;
#else
  constexpr bool kFaults = false;
#endif
  if (options.output == OutputFormat::kTable)
    console.out << fmt::format("fluxnetes {} (schema {}, {}{})\n",
                               FLUXNETES_VERSION, schema, __VERSION__,
                               kFaults ? ", with faults for tests" : "");
  else
    console.out << Write({{"version", FLUXNETES_VERSION},
                          {"schema", schema},
                          {"compiler", __VERSION__},
                          {"faults", kFaults}},
                         options.output);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
