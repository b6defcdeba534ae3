#include "services/web/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace fluxnetes::services {
namespace {

// 15 is the largest window; 16 more make the header gzip's.
constexpr int kGzipWindow = 15 + 16;
constexpr int kMemoryLevel = 8;

Bytef* BytesOf(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

// Runs the whole input through `step` and returns what comes out.
template <typename Step>
std::string RunThrough(z_stream& stream, std::string_view text, Step step) {
  std::string out;
  std::array<char, std::size_t{16} << 10U> block{};
  stream.next_in = BytesOf(text);
  stream.avail_in = static_cast<uInt>(text.size());
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    result = step();
    out.append(block.data(), block.size() - stream.avail_out);
  }
  if (result != Z_STREAM_END) throw std::runtime_error("not gzipped");
  return out;
}

}  // namespace

bool TakesGzip(const std::string& accept_encoding) {
  const std::size_t at = accept_encoding.find("gzip");
  if (at == std::string::npos) return false;
  std::string weight = accept_encoding.substr(at + 4);
  weight = weight.substr(0, weight.find(','));
  std::erase(weight, ' ');
  return weight != ";q=0" && weight != ";q=0.0" && weight != ";q=0.00" &&
         weight != ";q=0.000";
}

std::string Gzip(std::string_view text, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib does not start");
  std::string out =
      RunThrough(stream, text, [&] { return deflate(&stream, Z_FINISH); });
  deflateEnd(&stream);
  return out;
}

std::string Gunzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK)
    throw std::runtime_error("zlib does not start");
  std::string out;
  try {
    out =
        RunThrough(stream, bytes, [&] { return inflate(&stream, Z_NO_FLUSH); });
  } catch (...) {
    inflateEnd(&stream);
    throw;
  }
  inflateEnd(&stream);
  return out;
}

}  // namespace fluxnetes::services
