// The location of the checkout and of its build. Known to one source file only,
// so that compiling the others is the same in every checkout, and they can
// share a compiler cache. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::testing {

// The path of a file or folder of the checkout: "deploy/examples".
std::string SourcePath(std::string_view path);

// The path of a program of this build: "services/fluxnetes".
std::string BuiltProgram(std::string_view path);

}  // namespace fluxnetes::testing
