// The data of a result, for the files of this folder.
// Tests: tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <utility>

#include "sql/connection/connection.h"
#include "sql/connection/result.h"

namespace fluxnetes::sql {

struct Result::Data {
  Answer answer;
};

Result MakeResult(Answer answer);

}  // namespace fluxnetes::sql
