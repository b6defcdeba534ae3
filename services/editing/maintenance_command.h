// `fluxnetes drain` and `fluxnetes undrain`: announces maintenance of nodes,
// and withdraws it.
//
//   drain n1 n2 --from 2026-01-31T12:00:00Z --until +4h --reason "new disks"
//   drain rack=r7
//   undrain n1        undrain rack=r7        undrain --id 3
// Tests: tests/services/editing/drain_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/database/audit.h"
#include "services/grammar/options.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Maintenance that was announced, and what it affects.
struct Drained {
  std::int64_t id = 0;
  std::vector<std::string> words;  // names of its nodes, or KEY=VALUE
  sql::Timestamp from;
  std::optional<sql::Timestamp> until;
  std::int64_t known_nodes = 0;
  // Groups that need not have ended when it begins; the first 100 by name.
  std::int64_t group_count = 0;
  std::vector<std::string> groups;  // "a/train"
};

// Announces maintenance and records it in the audit log; a dry run finds out
// what it would affect, and changes nothing. Throws Failure (kUsage) for an
// invalid word or time, sql::Error.
Drained Drain(const DrainOptions& options, const Actor& actor, sql::Pool& pool,
              sql::Timestamp now, bool dry_run);

// What was asked to be undone, and what of it was.
struct Undrained {
  std::vector<std::string> asked;
  std::vector<std::string> undone;
};
Undrained Undrain(const DrainOptions& options, const Actor& actor,
                  sql::Pool& pool, sql::Timestamp now);

// Maintenance of a node that does not exist (yet) is announced all the same,
// with a warning. Throws Failure (kUsage) for an invalid word or time,
// sql::Error.
ExitCode RunDrain(const DrainOptions& options, sql::Pool& pool,
                  Console& console);

// Returns kNotFound if one of them has no maintenance. Throws as RunDrain().
ExitCode RunUndrain(const DrainOptions& options, sql::Pool& pool,
                    Console& console);

}  // namespace fluxnetes::services
