// A request of a browser and what is sent back, as plain values.
// Tests: tests/services/web_http/web_server_test.cc.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

class WebStream;

struct WebRequest {
  std::string method = {};
  std::string path = {};  // percent-decoded, without the query
  std::map<std::string, std::string> query = {};
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  // Returns "" if the request has no such header.
  std::string Header(const std::string& lower_name) const {
    const auto found = headers.find(lower_name);
    return found == headers.end() ? "" : found->second;
  }
  // Returns "" if the query has no such name.
  std::string Query(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
  }
};

struct WebReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Shared, since many browsers get the same file.
  std::shared_ptr<const std::string> body = {};
  // Instead of the body. Shared by the server, which sends, and its producer.
  std::shared_ptr<WebStream> stream = {};
};

}  // namespace fluxnetes::services
