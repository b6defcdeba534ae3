#include "services/web/page_files.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <span>

#include "services/web/gzip.h"
#include "services/web/page_bytes.h"

namespace fluxnetes::services {
namespace {

std::string ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::string TagOf(const std::string& bytes) {
  constexpr std::size_t kTagBytes = 12;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
             nullptr);
  std::string tag = "\"";
  for (const unsigned char byte : std::span(digest).first(kTagBytes))
    tag += fmt::format("{:02x}", byte);
  return tag + "\"";
}

bool IsUnchanged(const std::string& if_none_match, const std::string& tag) {
  return if_none_match == "*" || if_none_match.find(tag) != std::string::npos;
}

}  // namespace

PageFiles::PageFiles() {
  for (const auto& [name, bytes] : kPageBytes) {
    File file;
    file.type = ContentTypeOf(name);
    file.gzipped = std::make_shared<const std::string>(bytes);
    file.plain = std::make_shared<const std::string>(Gunzip(bytes));
    file.etag = TagOf(*file.plain);
    files_.emplace(name == "index.html" ? "" : std::string(name),
                   std::move(file));
  }
}

std::optional<WebReply> PageFiles::Answer(const std::string& name,
                                          const WebRequest& request) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  const File& file = found->second;
  WebReply reply;
  reply.headers = {{"ETag", file.etag},
                   {"Cache-Control", "no-cache"},
                   {"Vary", "Accept-Encoding"}};
  if (IsUnchanged(request.Header("if-none-match"), file.etag)) {
    reply.status = 304;
    return reply;
  }
  reply.headers.emplace_back("Content-Type", file.type);
  if (TakesGzip(request.Header("accept-encoding"))) {
    reply.headers.emplace_back("Content-Encoding", "gzip");
    reply.body = file.gzipped;
  } else {
    reply.body = file.plain;
  }
  return reply;
}

}  // namespace fluxnetes::services
