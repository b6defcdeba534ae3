#include "services/grpc_holds/pool_calls.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "services/editing/pool_command.h"
#include "services/grpc/grpc_calls.h"
#include "services/records/pool_list.h"
#include "workers/pools/pool_labels.h"

namespace fluxnetes::services {
namespace {

std::int64_t UnixSeconds(sql::Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch())
      .count();
}

void FillPool(v1::Pool& message, const PoolRow& pool) {
  message.set_name(pool.name);
  message.set_total(pool.total);
  message.set_held(pool.held);
  message.set_reserved(pool.reserved);
  message.set_free(pool.free);
  message.set_description(pool.description.value_or(""));
  for (const PoolHolder& holder : pool.holders) {
    v1::PoolHolder& each = *message.add_holders();
    each.set_group(holder.group);
    each.set_amount(holder.amount);
    each.set_reserved(holder.reserved);
    each.mutable_starts_at()->set_seconds(UnixSeconds(holder.start));
    if (holder.end)
      each.mutable_ends_at()->set_seconds(UnixSeconds(*holder.end));
  }
}

void RequirePoolName(const std::string& name) {
  if (name.empty())
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      "name is empty; right would be the name of a pool",
                      "name");
}

std::int64_t TotalIn(const v1::SetPoolRequest& request) {
  const auto refuse = [](const std::string& wrong) {
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("total {}; right would be a whole number from 0 to {}",
                    wrong, workers::kMostOfPool),
        "total");
  };
  if (!request.has_total()) refuse("is missing");
  if (request.total() < 0 || request.total() > workers::kMostOfPool)
    refuse(fmt::format("is {}", request.total()));
  return request.total();
}

}  // namespace

void FillPools(v1::ListPoolsResponse& response,
               const v1::ListPoolsRequest& request,
               sql::Transaction& transaction) {
  const std::optional<std::string> name =
      request.name().empty() ? std::nullopt : std::optional(request.name());
  for (const PoolRow& pool : ReadPoolRows(transaction, name))
    FillPool(*response.add_pools(), pool);
  if (response.pools().empty() && name)
    throw GrpcRefusal(GrpcCode::kNotFound,
                      fmt::format("no pool named \"{}\"", *name));
}

void SetPoolFor(const v1::SetPoolRequest& request,
                v1::SetPoolResponse& response, const Actor& actor,
                sql::Pool& pool, sql::Timestamp now) {
  RequirePoolName(request.name());
  PoolOptions options;
  options.verb = PoolOptions::Verb::kSet;
  options.name = request.name();
  options.total = TotalIn(request);
  if (request.has_description()) options.description = request.description();
  response.set_created(ChangePool(pool, actor, options, now) == "created");
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  for (const PoolRow& row : ReadPoolRows(transaction, options.name))
    FillPool(*response.mutable_pool(), row);
}

void DeletePoolFor(const v1::DeletePoolRequest& request, const Actor& actor,
                   sql::Pool& pool, sql::Timestamp now) {
  RequirePoolName(request.name());
  PoolOptions options;
  options.verb = PoolOptions::Verb::kDelete;
  options.name = request.name();
  ChangePool(pool, actor, options, now);
}

}  // namespace fluxnetes::services
