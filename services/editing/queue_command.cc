#include "services/editing/queue_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "services/console/input_file.h"
#include "services/editing/editing_queries.h"
#include "services/editing/queue_file.h"
#include "services/editing/queue_settings.h"
#include "services/editing/row_settings.h"
#include "services/listing/get.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

constexpr auto kForeignKey = "23503";

void CheckName(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const bool plain = !name.empty() && name.size() <= 63 &&
                     letter(name.front()) && letter(name.back()) &&
                     std::all_of(name.begin(), name.end(),
                                 [&](char c) { return letter(c) || c == '-'; });
  if (!plain)
    throw Failure(ExitCode::kUsage,
                  fmt::format("'{}' cannot be the name of a queue", name),
                  "Right would be up to 63 of a-z, 0-9 and -, as in a label.");
}

Failure NoQueue(const std::string& name) {
  return Failure(
      ExitCode::kNotFound, fmt::format("no queue named \"{}\"", name),
      "`fluxnetes get queues` lists those that there are; `fluxnetes "
      "queue create` makes one.");
}

void Edit(sql::Transaction& transaction, const std::string& name,
          const std::string& patch) {
  if (transaction.Run(queries::kEditQueue, name, patch).affected() == 0)
    throw NoQueue(name);
}

void Create(sql::Transaction& transaction, const QueueOptions& options) {
  CheckName(options.name);
  if (transaction.Run(queries::kCreateQueue, options.name).affected() == 0)
    throw Failure(
        ExitCode::kFailed,
        fmt::format("the queue \"{}\" is there already", options.name),
        fmt::format("`fluxnetes queue set {} KEY=VALUE` changes it.",
                    options.name));
  Edit(transaction, options.name, ParseQueueSettings(options.settings));
}

// Applies all queues or none. Settings that the file does not name keep their
// values.
ExitCode ApplyFile(const QueueOptions& options, sql::Pool& pool,
                   Console& console) {
  const bool is_input = options.file == "-";
  const std::string source = is_input ? "standard input" : options.file;
  const auto queues = ParseQueueFile(
      is_input ? ReadInput(console.in, source) : ReadInputFile(options.file),
      source);
  sql::Transaction transaction(pool);
  std::string said;
  for (const auto& [name, settings] : queues) {
    CheckName(name);
    const auto made = transaction.Run(queries::kCreateQueue, name).affected();
    Edit(transaction, name, settings);
    RecordChange(transaction, ProcessActor(),
                 {.verb = made == 0 ? "set" : "create",
                  .object = "queue/" + name,
                  .detail = settings});
    said += fmt::format("queue/{} {}\n", name, made == 0 ? "set" : "created");
  }
  transaction.Commit();
  console.out << said;
  return ExitCode::kOk;
}

void Delete(sql::Transaction& transaction, const std::string& name) {
  try {
    if (transaction.Run(queries::kDeleteQueue, name).affected() == 0)
      throw NoQueue(name);
  } catch (const sql::Error& error) {
    if (error.sqlstate() != kForeignKey) throw;
    throw Failure(
        ExitCode::kFailed,
        fmt::format("the queue \"{}\" has groups and stays", name),
        fmt::format("`fluxnetes get groups -A --queue {}` lists them; pause it "
                    "and wait, or cancel them.",
                    name));
  }
}

// Returns what was done, for the message "queue/NAME paused".
const char* Apply(sql::Transaction& transaction, const QueueOptions& options) {
  switch (options.verb) {
    case QueueOptions::Verb::kPause:
      Edit(transaction, options.name, R"({"paused": true})");
      return "paused: nothing of it starts until `queue resume`";
    case QueueOptions::Verb::kResume:
      Edit(transaction, options.name, R"({"paused": false})");
      return "resumed";
    case QueueOptions::Verb::kSet:
      Edit(transaction, options.name, ParseQueueSettings(options.settings));
      return "changed";
    case QueueOptions::Verb::kCreate:
      Create(transaction, options);
      return "created";
    case QueueOptions::Verb::kDelete:
      Delete(transaction, options.name);
      return "deleted";
    case QueueOptions::Verb::kList:
    case QueueOptions::Verb::kApply:
      break;
  }
  throw std::logic_error("no such change of a queue");
}

const char* VerbOf(QueueOptions::Verb verb) {
  switch (verb) {
    case QueueOptions::Verb::kPause:
      return "pause";
    case QueueOptions::Verb::kResume:
      return "resume";
    case QueueOptions::Verb::kCreate:
      return "create";
    case QueueOptions::Verb::kDelete:
      return "delete";
    default:
      return "set";
  }
}

}  // namespace

std::string ChangeQueue(sql::Transaction& transaction, const Actor& actor,
                        const QueueOptions& options,
                        const std::string& reason) {
  const char* done = Apply(transaction, options);
  RecordChange(transaction, actor,
               {.verb = VerbOf(options.verb),
                .object = "queue/" + options.name,
                .detail = DetailOf(options.settings, reason)});
  return done;
}

ExitCode RunQueue(const QueueOptions& options, sql::Pool& pool,
                  Console& console) {
  if (options.verb == QueueOptions::Verb::kList) {
    GetOptions get;
    get.what = GetOptions::What::kQueues;
    get.output = options.output;
    return RunGet(get, pool, console);
  }
  if (options.verb == QueueOptions::Verb::kApply)
    return ApplyFile(options, pool, console);
  sql::Transaction transaction(pool);
  const std::string done = ChangeQueue(transaction, ProcessActor(), options);
  transaction.Commit();
  console.out << "queue/" << options.name << ' ' << done << '\n';
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
