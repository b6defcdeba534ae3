// What is inside a result, for the files of this folder.
#pragma once

#include <pqxx/pqxx>

#include "sql/result.h"

namespace fluxnetes::sql {

struct Result::Data {
  pqxx::result result;
};

Result MakeResult(const pqxx::result& result);

}  // namespace fluxnetes::sql
