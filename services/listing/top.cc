#include "services/listing/top.h"

#include "services/listing/get.h"

namespace fluxnetes::services {

ExitCode RunTop(const TopOptions& options, sql::Pool& pool, Console& console) {
  GetOptions get;
  get.what = options.what == TopOptions::What::kNodes
                 ? GetOptions::What::kTopNodes
                 : GetOptions::What::kTopGroups;
  get.scope = options.scope;
  get.queue = options.queue;
  get.output = options.output;
  get.watch = console.terminal && !options.once &&
              options.output == OutputFormat::kTable;
  return RunGet(get, pool, console);
}

}  // namespace fluxnetes::services
