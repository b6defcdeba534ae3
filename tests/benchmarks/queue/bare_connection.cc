#include "tests/benchmarks/queue/bare_connection.h"

#include <endian.h>

#include <cstring>
#include <stdexcept>

namespace fluxnetes::benchmark {
namespace {

// pg_type.dat
enum Oid : std::int32_t {
  kBigint = 20,
  kSmallint = 21,
  kInteger = 23,
  kText = 25,
  kJsonb = 3802
};

void AppendNumber(std::string& out, std::int64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

// array_send: dimensions, nulls, type, length, first index.
std::string ArrayHeader(Oid element, std::size_t length) {
  std::string out;
  AppendNumber(out, length == 0 ? 0 : 1, 4);
  AppendNumber(out, 0, 4);
  AppendNumber(out, element, 4);
  if (length == 0) return out;
  AppendNumber(out, static_cast<std::int64_t>(length), 4);
  AppendNumber(out, 1, 4);
  return out;
}

BareParameter StringArray(Oid element, std::string_view prefix,
                          const std::vector<std::string>& values) {
  std::string out = ArrayHeader(element, values.size());
  for (const std::string& value : values) {
    AppendNumber(out, static_cast<std::int64_t>(prefix.size() + value.size()),
                 4);
    out += prefix;
    out += value;
  }
  return {out, true};
}

BareParameter NumberArray(Oid element, int bytes,
                          const std::vector<std::int64_t>& values) {
  std::string out = ArrayHeader(element, values.size());
  for (const std::int64_t value : values) {
    AppendNumber(out, bytes, 4);
    AppendNumber(out, value, bytes);
  }
  return {out, true};
}

}  // namespace

BareParameter Text(std::string value) { return {std::move(value), false}; }

BareParameter TextArray(const std::vector<std::string>& values) {
  return StringArray(kText, "", values);
}
BareParameter JsonArray(const std::vector<std::string>& values) {
  return StringArray(kJsonb, "\1", values);  // jsonb_send: a version first
}
BareParameter SmallintArray(const std::vector<std::int64_t>& values) {
  return NumberArray(kSmallint, 2, values);
}
BareParameter IntegerArray(const std::vector<std::int64_t>& values) {
  return NumberArray(kInteger, 4, values);
}
BareParameter BigintArray(const std::vector<std::int64_t>& values) {
  return NumberArray(kBigint, 8, values);
}

BareConnection::BareConnection(const sql::PoolOptions& options)
    : raw_(PQconnectdb(options.connection.c_str()), PQfinish) {
  if (PQstatus(raw()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(raw()));
  Execute("SET search_path = \"" + options.schema +
          "\", public; SET jit = off; SET client_min_messages = warning;"
          "SET enable_seqscan = off; SET enable_hashjoin = off;"
          "SET enable_mergejoin = off; SET enable_material = off;"
          "SET enable_memoize = off; SET enable_indexonlyscan = off;"
          "SET enable_bitmapscan = off;"
          "SET plan_cache_mode = force_generic_plan");
}

BareResult BareConnection::Checked(PGresult* result) {
  BareResult owned(result, PQclear);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(raw()));
  return owned;
}

void BareConnection::Execute(const std::string& sql) {
  Checked(PQexec(raw(), sql.c_str()));
}

void BareConnection::Prepare(std::string_view name, std::string_view sql) {
  Checked(PQprepare(raw(), std::string(name).c_str(), std::string(sql).c_str(),
                    0, nullptr));
}

BareResult BareConnection::Run(std::string_view name,
                               const std::vector<BareParameter>& parameters) {
  constexpr std::size_t kMost = 32;
  const char* values[kMost];
  int lengths[kMost];
  int formats[kMost];
  if (parameters.size() > kMost) throw std::logic_error("too many parameters");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values[i] = parameters[i].value.c_str();
    lengths[i] = static_cast<int>(parameters[i].value.size());
    formats[i] = parameters[i].binary ? 1 : 0;
  }
  return Checked(PQexecPrepared(raw(), std::string(name).c_str(),
                                static_cast<int>(parameters.size()), values,
                                lengths, formats, 1));
}

std::int64_t BigintOf(const BareResult& result, int row, int column) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, PQgetvalue(result.get(), row, column), sizeof raw);
  return static_cast<std::int64_t>(be64toh(raw));
}

int IntegerOf(const BareResult& result, int row, int column) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, PQgetvalue(result.get(), row, column), sizeof raw);
  return static_cast<int>(be32toh(raw));
}

}  // namespace fluxnetes::benchmark
