// A migrated database on the tests' server, of which each TestDatabase is a
// copy. To copy one takes PostgreSQL about a seventh of the processor time of
// the migrations.
//
// The first process that needs the template makes it; the others find it by its
// name, which is another one when a migration changes, and each day, because
// the migrations make the partitions of the next days. It is never dropped.
#pragma once

#include <string>

namespace fluxnetes::testing {

// The connection string of another database on the same server.
std::string WithDatabase(const std::string& connection,
                         const std::string& database);

// The schema of each copy. Some functions name the schema that they read, so a
// copy cannot have another one.
inline constexpr const char* kCopySchema = "fluxnetes_copy";

// Creates a database that is a copy, and returns its connection string.
// `connection`: of a role that may create databases. The name needs no quotes.
std::string CopyTemplate(const std::string& connection,
                         const std::string& name);
// Drops the copy, and ends the connections that it still has.
void DropCopy(const std::string& connection, const std::string& name);

}  // namespace fluxnetes::testing
