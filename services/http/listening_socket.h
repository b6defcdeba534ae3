// A socket on which a server listens: a file ("unix:PATH", mode 0600), a
// loopback port ("127.0.0.1:PORT", "[::1]:PORT", "localhost:PORT", with or
// without http://; port 0 takes a free one), or, for a server that knows whom
// it talks to, a port of any address of this machine ("0.0.0.0:PORT",
// "[::]:PORT").
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

enum class Reach {
  kMachine,  // a file or a loopback address; any other is refused
  kNetwork
};

// Whether an address as above can be reached from this machine only.
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
