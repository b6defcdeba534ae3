// An array parameter in PostgreSQL's binary form: passes many rows to one
// statement for less than half of what text form costs both sides. The
// statement's parameter must have exactly this type ($1::bigint []).
//
//   sql::Array ids(sql::Array::Type::kBigint, jobs.size());
//   for (const Job& job : jobs) ids.Add(job.id);
//   transaction.Run(queries::kFinish, ids.Take());
//
// Throws std::out_of_range for a number that does not fit the type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sql/values/parameter.h"

namespace fluxnetes::sql {

class Array {
 public:
  enum class Type {
    kBoolean,
    kSmallint,
    kInteger,
    kBigint,
    kText,
    kJsonb,
    kTimestamptz
  };

  explicit Array(Type type, std::size_t expected = 0);

  void Add(std::string_view text);  // kText, kJsonb
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const char* text) { Add(std::string_view(text)); }
  template <std::integral T>
  void Add(T number) {
    AddNumber(static_cast<std::int64_t>(number));
  }
  void Add(Timestamp time);
  template <typename T>
  void Add(const std::optional<T>& value) {
    if (value)
      Add(*value);
    else
      AddNull();
  }
  void AddNull();

  std::size_t size() const { return size_; }

  // Returns the parameter and empties the array.
  Parameter Take();

 private:
  void AddNumber(std::int64_t number);

  Type type_;
  std::size_t size_ = 0;
  bool has_null_ = false;
  std::string elements_;
};

}  // namespace fluxnetes::sql
