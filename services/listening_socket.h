// A socket on which a server of this machine listens: a file ("unix:PATH", mode
// 0600) or a loopback port ("127.0.0.1:PORT", "[::1]:PORT", "localhost:PORT",
// with or without http://; port 0 takes a free one).
//
// A socket file that nobody listens on any more is replaced; one with a live
// server, or a file of another kind, is not touched. The file is removed when
// the socket is closed, if it is still ours.
//
// Throws std::runtime_error that names the address and says what is wrong.
#pragma once

#include <sys/types.h>

#include <string>

namespace fluxnetes::services {

class ListeningSocket {
 public:
  explicit ListeningSocket(const std::string& address);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int fd() const { return fd_; }
  // For a client: "unix:PATH" or "http://127.0.0.1:PORT".
  const std::string& address() const { return address_; }

 private:
  void OpenFile(const std::string& path);
  void OpenPort(const std::string& host, const std::string& port);

  int fd_ = -1;
  std::string address_;
  std::string path_;  // empty: a port
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace fluxnetes::services
