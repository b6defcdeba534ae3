// `fluxnetes get`: lists groups, nodes, queues or jobs once; for --watch see
// watch.h.
#pragma once

#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "services/listing/listing.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

// Throws Failure and sql::Error.
ExitCode RunGet(const GetOptions& options, sql::Pool& pool, Console& console);

// Returns the listing for the options, as of `now`. The age limit of finished
// groups counts from `since`.
Listing ListFor(sql::Transaction& transaction, const GetOptions& options,
                sql::Timestamp since, sql::Timestamp now);

}  // namespace fluxnetes::services
