// Where the checkout is and what was built in it. Known to one source alone, so
// that what compiles the others is the same in every checkout, and a compiler
// cache may share it. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::testing {

// The path of a file or folder of the checkout: "deploy/examples".
std::string SourcePath(std::string_view path);

// The path of a program of this build: "services/fluxnetes".
std::string BuiltProgram(std::string_view path);

}  // namespace fluxnetes::testing
