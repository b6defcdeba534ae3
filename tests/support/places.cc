#include "tests/support/places.h"

namespace fluxnetes::testing {

std::string SourcePath(std::string_view path) {
  return std::string(FLUXNETES_SOURCE_DIR "/").append(path);
}

std::string BuiltProgram(std::string_view path) {
  return std::string(FLUXNETES_BUILD_DIR "/").append(path);
}

}  // namespace fluxnetes::testing
