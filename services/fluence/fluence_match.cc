#include "services/fluence/fluence_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cluster/text/quote.h"
#include "services/database/audit.h"
#include "services/grpc/grpc_calls.h"
#include "services/records/group_name.h"
#include "sql/faults.h"

namespace fluxnetes::services {
namespace {

using MatchState = workers::ExternalAnswer::State;

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr std::int32_t kMostPods = 100'000;
constexpr std::chrono::milliseconds kLookAgain{50};

[[noreturn]] void RefuseMatch(const std::string& field,
                              const std::string& what) {
  throw GrpcRefusal(GrpcCode::kInvalidArgument, field + " " + what, field);
}

void CheckAmount(const char* field, std::int64_t amount) {
  if (amount < 0)
    RefuseMatch(field, fmt::format("is {}; right would be 0 or more", amount));
}

// Kubernetes: "Object Names and IDs", but with capitals as in labels.
bool IsName(const std::string& text, std::size_t longest) {
  const auto alphanumeric = [](unsigned char c) {
    return std::isalnum(c) != 0;
  };
  return !text.empty() && text.size() <= longest &&
         alphanumeric(text.front()) && alphanumeric(text.back()) &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return alphanumeric(c) || c == '-' || c == '.' || c == '_';
         });
}

workers::ExternalGroups::Along Recording(const Principal& caller,
                                         const std::string& verb,
                                         const std::string& detail) {
  return [caller, verb, detail](sql::Transaction& transaction,
                                const std::string& space,
                                const std::string& name) {
    RecordChange(transaction,
                 {.name = caller.name, .role = caller.role, .via = "grpc"},
                 {.verb = verb,
                  .object = "group/" + GroupName{space, name}.Text(),
                  .detail = detail});
  };
}

std::string TextOf(const workers::ExternalAsk& ask) {
  cluster::Resources needs = ask.request.resources;
  needs.pods = 0;
  return fmt::format("{} pod{} of ({}){}", ask.pods, ask.pods == 1 ? "" : "s",
                     cluster::Format(needs),
                     ask.reserve ? ", or a reservation" : "");
}

}  // namespace

workers::ExternalAsk FluenceMatch::AskOf(const FluenceRequest& request) const {
  if (request.cpu < 1)
    RefuseMatch("cpu",
                fmt::format("is {}; right would be whole cores, 1 or more",
                            request.cpu));
  CheckAmount("memory", request.memory);
  CheckAmount("gpu", request.gpu);
  CheckAmount("storage", request.storage);
  if (request.count < 1 || request.count > kMostPods)
    RefuseMatch("count", fmt::format("is {}; right would be 1 to {} pods",
                                     request.count, kMostPods));
  workers::ExternalAsk ask;
  ask.namespace_name = "default";
  if (!request.name.empty()) {
    const GroupName name = ParseGroupName(request.name, "default");
    if (!IsName(name.namespace_name, 63) || !IsName(name.name, 253))
      RefuseMatch("name",
                  fmt::format("is {}; right would be NAME or NAMESPACE/NAME "
                              "of letters, digits and -._",
                              cluster::Quote(request.name)));
    ask.namespace_name = name.namespace_name;
    ask.name = name.name;
  }
  ask.mark = request.container;
  ask.queue = options_.queue;
  cluster::Resources& needs = ask.request.resources;
  needs.cpu_milli = std::int64_t{request.cpu} * 1000;
  needs.memory_bytes = request.memory;
  needs.ephemeral_bytes = request.storage;
  needs.pods = 1;
  needs.SetExtended(kGpu, request.gpu);
  if (std::ranges::find(request.labels, "zone") != request.labels.end())
    ask.request = cluster::WithTopology(ask.request,
                                        {.required = kZone, .preferred = ""});
  ask.pods = request.count;
  ask.reserve = request.reserve;
  ask.lifetime = options_.lifetime;
  return ask;
}

FluenceMatch::Result FluenceMatch::Match(const FluenceRequest& request,
                                         const Waiter& waiter) {
  workers::ExternalAsk ask = AskOf(request);
  Require(waiter.caller.MayChange(ask.namespace_name),
          "only an operator or a user of namespace " + ask.namespace_name +
              " may match there");
  const auto begin = std::chrono::system_clock::now();
  const auto deadline = std::min(waiter.deadline, begin + options_.patience);
  const cluster::Time now = options_.now();
  ask.answer_by =
      now + std::chrono::ceil<cluster::Time::duration>(deadline - begin);
  const auto ticket =
      groups_.Ask(ask, now, Recording(waiter.caller, "match", TextOf(ask)));
  if (!ticket)
    throw GrpcRefusal(
        GrpcCode::kFailedPrecondition,
        fmt::format("queue {} (grpc.matchQueue) does not exist; make it: "
                    "fluxnetes queue create {}",
                    cluster::Quote(ask.queue), ask.queue));
  while (true) {
    const auto [seen, stopping] = Rings();
    const workers::ExternalAnswer answer = groups_.Look(ticket->group);
    const bool gone = waiter.has_gone();
    if (answer.state != MatchState::kWaits && !gone) {
      sql::Failpoint("external-answered");
      return {ticket->group, answer};
    }
    const bool late = std::chrono::system_clock::now() >= deadline;
    if (stopping || gone || late) {
      groups_.Withdraw(*ticket);
      if (stopping)
        throw GrpcRefusal(GrpcCode::kUnavailable,
                          "this server is stopping; ask again");
      throw GrpcRefusal(GrpcCode::kDeadlineExceeded,
                        "nobody has decided in time; ask again");
    }
    WaitForRing(seen, kLookAgain);
  }
}

std::pair<std::uint64_t, bool> FluenceMatch::Rings() {
  const sql::MutexLock lock(mutex_);
  return {rings_, stopping_};
}

void FluenceMatch::WaitForRing(std::uint64_t seen,
                               std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const sql::MutexLock lock(mutex_);
  while (rings_ == seen && !stopping_ && rung_.WaitUntil(mutex_, until)) {
  }
}

bool FluenceMatch::Cancel(std::int64_t id, const Principal& caller) {
  const auto space = groups_.NamespaceOf(id);
  if (!space) return false;
  Require(caller.MayChange(*space), "only an operator or a user of namespace " +
                                        *space + " may cancel a match there");
  constexpr const char* kReason = "cancelled by its caller";
  return groups_.Cancel(id, kReason, Recording(caller, "cancel", kReason));
}

void FluenceMatch::Ring() {
  {
    const sql::MutexLock lock(mutex_);
    ++rings_;
  }
  rung_.NotifyAll();
}

void FluenceMatch::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  rung_.NotifyAll();
}

}  // namespace fluxnetes::services
