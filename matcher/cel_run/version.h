// Semantic versions 2.0.0 (semver.org).
//
// Plain values.
// Tests: tests/matcher/cel_run/version_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::matcher::cel {

struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::string_view prerelease = {};  // a part of the text that was read
};

// Nothing: it is no version.
std::optional<Version> ReadVersion(std::string_view text);

// Writes a version that people write, "v1.2" or "01.2.3", as "1.2.0" or
// "1.2.3", as semver(text, true) of Kubernetes does; ReadVersion may still
// refuse it. Nothing: a short version has a prerelease.
std::optional<std::string> CompleteVersion(std::string_view text);

// Builds count for nothing.
std::strong_ordering Compare(const Version& one, const Version& other);

}  // namespace fluxnetes::matcher::cel
