// The rows that a query returned, read by position or by column name.
//
//   for (const sql::Row row : transaction.Run(queries::kLeaseJobs, ...))
//     Use(row.Get<std::int64_t>("id"), row.Find<std::string>("error"));
//
// A result owns its data and outlives its transaction; rows refer to it.
// Tests: tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::sql {

class Result;

class Row {
 public:
  // Get: std::string, std::string_view (valid as long as the result), bool, the
  // integers, double, Timestamp, std::vector of std::string, std::int64_t or
  // std::int32_t. Throws std::logic_error, as for a bug, for NULL, an unknown
  // column or text of another type.
  template <typename T>
  T Get(std::string_view column) const;
  template <typename T>
  T Get(int column) const;

  // Likewise, but returns nothing for NULL.
  template <typename T>
  std::optional<T> Find(std::string_view column) const;
  template <typename T>
  std::optional<T> Find(int column) const;

 private:
  friend class Result;
  Row(const Result* result, std::size_t row) : result_(result), row_(row) {}
  const Result* result_;
  std::size_t row_;
};

class Result {
 public:
  struct Data;  // keeps libpq out of this header; see result_data.h

  Result() = default;  // no rows
  explicit Result(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  class Iterator {
   public:
    Iterator(const Result* result, std::size_t row)
        : result_(result), row_(row) {}
    Row operator*() const { return (*result_)[row_]; }
    Iterator& operator++() { return ++row_, *this; }
    bool operator==(const Iterator&) const = default;

   private:
    const Result* result_;
    std::size_t row_;
  };

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  Row operator[](std::size_t row) const { return Row(this, row); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  // The number of rows that an INSERT, UPDATE or DELETE changed.
  std::size_t affected() const;

  // Column names, in order.
  std::vector<std::string> columns() const;

 private:
  friend class Row;
  std::shared_ptr<const Data> data_;  // shared: results are cheap to copy
};

}  // namespace fluxnetes::sql
