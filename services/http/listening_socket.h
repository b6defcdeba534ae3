// A listening socket: a file ("unix:PATH", mode 0600), a loopback port
// ("127.0.0.1:PORT", "[::1]:PORT", "localhost:PORT", with or without http://;
// port 0 takes a free one), or, for a server that authenticates its clients, a
// port on any address of this machine ("0.0.0.0:PORT", "[::]:PORT").
//
// A socket file without a server is replaced; one with a live server, or a file
// of another kind, is left alone. Closing the socket removes the file if it is
// still ours.
//
// Throws std::runtime_error with the address and the fault.
#pragma once

#include <sys/types.h>

#include <string>

namespace fluxnetes::services {

enum class Reach {
  kMachine,  // a file or a loopback address only
  kNetwork
};

// True if the address can be reached from this machine only.
bool IsOfThisMachine(const std::string& address);

class ListeningSocket {
 public:
  explicit ListeningSocket(const std::string& address,
                           Reach reach = Reach::kMachine);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int fd() const { return fd_; }
  // For a client: "unix:PATH" or "http://127.0.0.1:PORT".
  const std::string& address() const { return address_; }

 private:
  void OpenFile(const std::string& path);
  void OpenPort(const std::string& host, const std::string& port, Reach reach);

  int fd_ = -1;
  std::string address_;
  std::string path_;  // empty: a port
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace fluxnetes::services
