// For any bytes ReadParts() returns vertices of the node or throws PartsError;
// they are read again as they are written.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "matcher/inside/parts_text.h"
#include "matcher/inside/short_structure.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const NodeStructure kStructure(
      ReadShortStructure("sockets: 2, numa: 4, cores: 16, gpus: 4, nics: 1"),
      0);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ReadParts(text, nullptr);
    const InsideParts parts = ReadParts(text, &kStructure);
    const std::string written = WriteParts(kStructure, parts.vertices);
    if (ReadParts(written, &kStructure).vertices != parts.vertices) {
      std::abort();
    }
  } catch (const PartsError&) {
  }
  return 0;
}
