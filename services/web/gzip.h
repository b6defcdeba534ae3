// Compression as HTTP has it (RFC 1952), by zlib.
// Tests: tests/services/web/page_files_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::services {

// True if the header Accept-Encoding allows gzip.
bool TakesGzip(const std::string& accept_encoding);

// `level` is zlib's, 1 (fast) to 9 (small).
std::string Gzip(std::string_view text, int level);

// Throws std::runtime_error if the bytes are not gzipped.
std::string Gunzip(std::string_view bytes);

}  // namespace fluxnetes::services
