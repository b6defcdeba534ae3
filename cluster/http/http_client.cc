#include "cluster/http/http_client.h"

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <random>
#include <utility>

#include "cluster/http/http_loop.h"

namespace fluxnetes::cluster {

HttpClient::HttpClient(HttpOptions options)
    : loop_(std::make_shared<Loop>(std::move(options))) {}

HttpClient::~HttpClient() { Stop(); }

void HttpClient::Stop() { loop_->Stop(); }

HttpResponse HttpClient::Send(HttpRequest request) {
  std::vector<HttpRequest> requests;
  requests.push_back(std::move(request));
  return std::move(SendAll(std::move(requests)).front());
}

std::vector<HttpResponse> HttpClient::SendAll(
    std::vector<HttpRequest> requests) {
  std::vector<HttpResponse> responses(requests.size());
  std::latch answered(static_cast<std::ptrdiff_t>(requests.size()));
  std::vector<std::unique_ptr<Exchange>> exchanges;
  exchanges.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    exchanges.push_back(std::make_unique<Exchange>(
        std::move(requests[i]),
        [slot = &responses[i], &answered](HttpResponse response) {
          *slot = std::move(response);
          answered.count_down();
        }));
  }
  loop_->Submit(std::move(exchanges));
  answered.wait();
  return responses;
}

void HttpClient::Start(HttpRequest request,
                       std::function<void(HttpResponse)> done) {
  std::vector<std::unique_ptr<Exchange>> exchanges;
  exchanges.push_back(
      std::make_unique<Exchange>(std::move(request), std::move(done)));
  loop_->Submit(std::move(exchanges));
}

std::unique_ptr<HttpStream> HttpClient::Open(std::string path,
                                             std::chrono::milliseconds silence,
                                             StreamReader& reader,
                                             std::string accept) {
  HttpRequest request;
  request.path = std::move(path);
  request.accept = std::move(accept);
  return std::make_unique<OpenStream>(
      loop_, loop_->Open(std::move(request), silence, reader));
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHex[byte >> 4U];
    encoded += kHex[byte & 15U];
  }
  return encoded;
}

}  // namespace fluxnetes::cluster
