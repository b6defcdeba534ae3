// Encodes values in PostgreSQL's binary form, each prefixed by its length, for
// arrays (array.h) and rows of COPY (copy_row.h).
// Tests: tests/sql/values/array_pgtest.cc,
// tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/values/parameter.h"

namespace fluxnetes::sql {

// Appends the lowest `bytes` bytes in big-endian order, without a length.
void AppendNumber(std::string& to, std::uint64_t number, int bytes);

// Appends a number of 1, 2, 4 or 8 bytes. Throws std::out_of_range if it does
// not fit.
void AppendInteger(std::string& to, std::int64_t number, int bytes);
void AppendText(std::string& to, std::string_view text);
void AppendJsonb(std::string& to, std::string_view text);
void AppendTime(std::string& to, Timestamp time);
void AppendNull(std::string& to);

}  // namespace fluxnetes::sql
