#include "sql/connection/result.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <stdexcept>

#include "sql/connection/result_data.h"
#include "sql/values/text_form.h"

namespace fluxnetes::sql {

namespace {

// Throws if the field does not exist.
void CheckField(const PGresult* answer, std::size_t row, int column) {
  if (row >= static_cast<std::size_t>(PQntuples(answer)))
    throw std::logic_error(
        fmt::format("row {} of a result of {}", row, PQntuples(answer)));
  if (column < 0 || column >= PQnfields(answer))
    throw std::logic_error(
        fmt::format("column {} of a result of {}", column, PQnfields(answer)));
}

int ColumnNamed(const PGresult* answer, std::string_view name) {
  const int column = PQfnumber(answer, std::string(name).c_str());
  if (column < 0)
    throw std::logic_error(fmt::format("a result has no column {}", name));
  return column;
}

}  // namespace

template <typename T>
std::optional<T> Row::Find(int column) const {
  const PGresult* answer = result_->data_->answer.get();
  CheckField(answer, row_, column);
  const int row = static_cast<int>(row_);
  if (PQgetisnull(answer, row, column) != 0) return std::nullopt;
  try {
    return FromText<T>(
        {PQgetvalue(answer, row, column),
         static_cast<std::size_t>(PQgetlength(answer, row, column))});
  } catch (const std::invalid_argument& error) {
    throw std::logic_error(
        fmt::format("column {}: {}", PQfname(answer, column), error.what()));
  }
}

template <typename T>
std::optional<T> Row::Find(std::string_view column) const {
  return Find<T>(ColumnNamed(result_->data_->answer.get(), column));
}

template <typename T>
T Row::Get(int column) const {
  std::optional<T> value = Find<T>(column);
  if (!value)
    throw std::logic_error(fmt::format(
        "column {} is NULL", PQfname(result_->data_->answer.get(), column)));
  return *std::move(value);
}

template <typename T>
T Row::Get(std::string_view column) const {
  return Get<T>(ColumnNamed(result_->data_->answer.get(), column));
}

Result MakeResult(Answer answer) {
  return Result(
      std::make_shared<const Result::Data>(Result::Data{std::move(answer)}));
}

std::size_t Result::size() const {
  return data_ ? static_cast<std::size_t>(PQntuples(data_->answer.get())) : 0;
}

std::size_t Result::affected() const {
  if (!data_) return 0;
  const std::string_view text = PQcmdTuples(data_->answer.get());
  return text.empty() ? 0 : FromText<unsigned long>(text);
}

std::vector<std::string> Result::columns() const {
  std::vector<std::string> names;
  const int count = data_ ? PQnfields(data_->answer.get()) : 0;
  for (int column = 0; column < count; ++column)
    names.emplace_back(PQfname(data_->answer.get(), column));
  return names;
}

// The types for which a row can be read; see result.h.
#define FLUXNETES_READABLE(T)                                     \
  template T Row::Get<T>(std::string_view) const;                 \
  template T Row::Get<T>(int) const;                              \
  template std::optional<T> Row::Find<T>(std::string_view) const; \
  template std::optional<T> Row::Find<T>(int) const

FLUXNETES_READABLE(std::string);
FLUXNETES_READABLE(std::string_view);
FLUXNETES_READABLE(bool);
FLUXNETES_READABLE(short);
FLUXNETES_READABLE(int);
FLUXNETES_READABLE(long);
FLUXNETES_READABLE(long long);
FLUXNETES_READABLE(unsigned);
FLUXNETES_READABLE(unsigned long);
FLUXNETES_READABLE(double);
FLUXNETES_READABLE(Timestamp);
FLUXNETES_READABLE(std::vector<std::string>);
FLUXNETES_READABLE(std::vector<std::int64_t>);
FLUXNETES_READABLE(std::vector<std::int32_t>);

}  // namespace fluxnetes::sql
