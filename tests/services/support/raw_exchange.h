// Bytes sent to a server on loopback as they are, and what comes back.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

// A connection of its own.
class RawConnection {
 public:
  // `address` is "http://127.0.0.1:PORT".
  explicit RawConnection(const std::string& address)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<in_port_t>(
        std::stoi(address.substr(address.rfind(':') + 1))));
    connected_ =
        connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0;
  }
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return connected_; }

  void Send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
  }

  // Returns what comes up to the end of this text, or of the connection.
  std::string ReadUntil(const std::string& text) {
    while (read_.find(text) == std::string::npos && ReadSome()) {
    }
    const std::size_t found = read_.find(text);
    if (found == std::string::npos) return std::exchange(read_, "");
    std::string until = read_.substr(0, found + text.size());
    read_.erase(0, until.size());
    return until;
  }

  std::string ReadAll() {
    while (ReadSome()) {
    }
    return std::exchange(read_, "");
  }

 private:
  bool ReadSome() {
    char buffer[4096];
    const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
    if (got <= 0) return false;
    read_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int fd_;
  bool connected_ = false;
  std::string read_;
};

// Sends a request whose connection ends with its answer.
inline std::string ExchangeRaw(const std::string& address,
                               const std::string& bytes) {
  RawConnection connection(address);
  connection.Send(bytes);
  return connection.ReadAll();
}

// Returns a request with these headers, each "Name: value", and this body.
inline std::string RawRequest(const std::string& line,
                              const std::vector<std::string>& headers,
                              const std::string& body = "") {
  std::string text = line + " HTTP/1.1\r\nConnection: close\r\n";
  for (const std::string& header : headers) text += header + "\r\n";
  if (!body.empty())
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

}  // namespace fluxnetes::services
