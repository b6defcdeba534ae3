#include "sql/result.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <stdexcept>

#include "sql/result_data.h"
#include "sql/text_form.h"

namespace fluxnetes::sql {

namespace {

pqxx::field Field(const pqxx::result& result, std::size_t row, int column) {
  if (row >= result.size())
    throw std::logic_error(
        fmt::format("row {} of a result of {}", row, result.size()));
  if (column < 0 || column >= static_cast<int>(result.columns()))
    throw std::logic_error(
        fmt::format("column {} of a result of {}", column, result.columns()));
  return result[static_cast<int>(row)][column];
}

int ColumnNamed(const pqxx::result& result, std::string_view name) {
  try {
    return result.column_number(std::string(name));
  } catch (const pqxx::argument_error&) {
    throw std::logic_error(fmt::format("a result has no column {}", name));
  }
}

}  // namespace

template <typename T>
std::optional<T> Row::Find(int column) const {
  const pqxx::field field = Field(result_->data_->result, row_, column);
  if (field.is_null()) return std::nullopt;
  try {
    return FromText<T>({field.c_str(), field.size()});
  } catch (const std::invalid_argument& error) {
    throw std::logic_error(
        fmt::format("column {}: {}", field.name(), error.what()));
  }
}

template <typename T>
std::optional<T> Row::Find(std::string_view column) const {
  return Find<T>(ColumnNamed(result_->data_->result, column));
}

template <typename T>
T Row::Get(int column) const {
  std::optional<T> value = Find<T>(column);
  if (!value)
    throw std::logic_error(fmt::format(
        "column {} is NULL", result_->data_->result.column_name(column)));
  return *std::move(value);
}

template <typename T>
T Row::Get(std::string_view column) const {
  return Get<T>(ColumnNamed(result_->data_->result, column));
}

Result MakeResult(const pqxx::result& result) {
  return Result(std::make_shared<const Result::Data>(Result::Data{result}));
}

std::size_t Result::size() const { return data_ ? data_->result.size() : 0; }

std::size_t Result::affected() const {
  return data_ ? data_->result.affected_rows() : 0;
}

std::vector<std::string> Result::columns() const {
  std::vector<std::string> names;
  const int count = data_ ? static_cast<int>(data_->result.columns()) : 0;
  for (int column = 0; column < count; ++column)
    names.emplace_back(data_->result.column_name(column));
  return names;
}

// The types that a row can be read as; result.h lists them.
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
