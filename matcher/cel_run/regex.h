// Regular expressions of `matches`, `find` and `findAll`: RE2's syntax, as Go
// has it.
//
// Tests: tests/matcher/cel_run/program_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace fluxnetes::matcher::cel {

// Nothing: the pattern is malformed; `fault` says why.
std::shared_ptr<const re2::RE2> ReadRegex(std::string_view pattern,
                                          std::string& fault);

}  // namespace fluxnetes::matcher::cel
