// The migrations of the schema `fluxnetes`, compiled in from the .sql files of
// this folder, in order. Forward only; once released, never edited.
#pragma once

#include <span>

#include "sql/schema/migrator.h"

namespace fluxnetes::migrations {

std::span<const sql::Migration> All();

// The work queue's alone, for programs that have none of the rest.
std::span<const sql::Migration> Queue();

}  // namespace fluxnetes::migrations
