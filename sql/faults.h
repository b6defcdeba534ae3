// Fault injection for tests; compiled in only with FLUXNETES_FAULTS.
//
// A failpoint is a named place between two steps. FLUXNETES_FAILPOINT=NAME
// kills the process there (SIGKILL), NAME:n at the n-th time; NAME:n:pause
// stops it there (SIGSTOP). A planted bug is a named wrong branch, taken while
// PlantBug(name) is in force, to show that the invariants detect it.
#pragma once

#include <string_view>

namespace fluxnetes::sql {

#ifdef FLUXNETES_FAULTS
void Failpoint(std::string_view name);
bool BugPlanted(std::string_view name);
void PlantBug(std::string_view name);  // empty: none; not thread-safe
#else
inline void Failpoint(std::string_view) {}
constexpr bool BugPlanted(std::string_view) { return false; }
#endif

}  // namespace fluxnetes::sql
