#include "services/listing/get.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "services/console/output.h"
#include "services/listing/watch.h"

namespace fluxnetes::services {
namespace {

constexpr const char* kNoPools =
    " (`fluxnetes pool set NAME --total N` makes one.)";

void SayNone(const GetOptions& options, const Listing& listing,
             Console& console) {
  const bool groups = options.what == GetOptions::What::kGroups;
  const bool one = groups && options.scope;
  const std::string where = one ? " in namespace " + *options.scope : "";
  if (options.name.empty()) {
    console.err << fmt::format(
        "No {}{}{} found{}.{}\n", listing.noun,
        options.queue ? " of queue " + *options.queue : "",
        options.search           ? " with that in it"
        : options.states.empty() ? ""
                                 : " in that state",
        where,
        one ? " (-A looks in all namespaces.)"
        : options.what == GetOptions::What::kPools ? kNoPools
                                                   : "");
    return;
  }
  const bool qualified = options.name.find('/') != std::string::npos;
  throw Failure(ExitCode::kNotFound,
                fmt::format("no {} named \"{}\"{}", listing.noun, options.name,
                            qualified ? "" : where),
                fmt::format("`fluxnetes get {}{}` lists those that there are.",
                            listing.noun, groups ? " -A" : ""));
}

void SayMore(const Listing& listing, Console& console) {
  const auto shown = static_cast<std::int64_t>(listing.names.size());
  console.err << fmt::format(
      "The first {} {}{} are shown; --limit 0 shows all, other flags narrow.\n",
      shown,
      listing.beyond ? fmt::format("of {} ", shown + *listing.beyond) : "",
      listing.noun);
}

void Print(const GetOptions& options, const Listing& listing,
           Console& console) {
  switch (options.output) {
    case OutputFormat::kJson:
    case OutputFormat::kYaml:
      console.out << Write(ListOf(listing.kind, *listing.items),
                           options.output);
      return;
    case OutputFormat::kName:
      for (const std::string& name : listing.names) console.out << name << '\n';
      return;
    case OutputFormat::kTable:
    case OutputFormat::kWide:
      console.out << listing.table.Text({.columns = console.size().first,
                                         .colour = console.colour,
                                         .header = options.headers});
  }
}

}  // namespace

Listing ListFor(sql::Transaction& transaction, const GetOptions& options,
                sql::Timestamp since, sql::Timestamp now) {
  switch (options.what) {
    case GetOptions::What::kGroups:
      return ListGroupsFor(transaction, options, FilterOf(options, since), now);
    case GetOptions::What::kNodes:
      return ListNodesFor(transaction, options, now);
    case GetOptions::What::kQueues:
      return ListQueuesFor(transaction, options, now);
    case GetOptions::What::kAccounts:
      return ListAccountsFor(transaction, options);
    case GetOptions::What::kPools:
      return ListPoolsFor(transaction, options);
    case GetOptions::What::kMaintenance:
      return ListMaintenanceFor(transaction, options, now);
    case GetOptions::What::kAudit:
      return ListAuditFor(transaction, options);
    case GetOptions::What::kEstimates:
      return ListEstimatesFor(transaction, options);
    case GetOptions::What::kLoops:
      return ListLoopsFor(transaction, options, now);
    case GetOptions::What::kTopNodes:
      return ListTopNodesFor(transaction, options);
    case GetOptions::What::kTopGroups:
      return ListTopGroupsFor(transaction, options, now);
    case GetOptions::What::kJobs:
      return ListJobsFor(transaction, options, now);
  }
  throw std::logic_error("no such listing");
}

ExitCode RunGet(const GetOptions& options, sql::Pool& pool, Console& console) {
  if (options.watch) return RunWatch(options, pool, console);
  const sql::Timestamp now = console.now();
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const Listing listing = ListFor(transaction, options, now, now);
  if (listing.names.empty() &&
      (!WantsDocuments(options.output) || !options.name.empty()))
    SayNone(options, listing, console);
  else
    Print(options, listing, console);
  if (listing.more) SayMore(listing, console);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
