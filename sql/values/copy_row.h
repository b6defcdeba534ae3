// One row of COPY in PostgreSQL's binary form, field by field in the order of
// the columns, each of exactly its column's type.
//
//   transaction.Copy("t", {"id", "name"}, names.size(),
//                    [&](std::size_t i, sql::CopyRow& row) {
//                      row.Integer(ids[i], 8);
//                      row.Text(names[i]);
//                    });
// Tests: tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sql/values/parameter.h"

namespace fluxnetes::sql {

class CopyRow {
 public:
  explicit CopyRow(std::string& to) : to_(to) {}

  // `bytes`: 2 for smallint, 4 for integer, 8 for bigint. Throws
  // std::out_of_range.
  void Integer(std::int64_t number, int bytes);
  void Text(std::string_view text);
  void Jsonb(std::string_view text);
  void Time(Timestamp time);
  void Texts(std::span<const std::string> texts);  // text []
  void Null();

  int fields() const { return fields_; }

 private:
  std::string& to_;
  int fields_ = 0;
};

}  // namespace fluxnetes::sql
