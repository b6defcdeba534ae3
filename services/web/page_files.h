// The files of the pages, compiled in: the document, the script, the style and
// the picture of the tab, made from services/web/pages. Each is sent gzipped to
// a browser that takes it so, has a strong ETag, and is asked for again only to
// learn that it is unchanged (304).
//
// Thread-safe.
// Tests: tests/services/web/page_files_test.cc.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "services/web_http/web_message.h"

namespace fluxnetes::services {

class PageFiles {
 public:
  PageFiles();

  // `name` is the path without its first '/'; "" is the document. Returns
  // nullopt if there is no such file.
  std::optional<WebReply> Answer(const std::string& name,
                                 const WebRequest& request) const;

 private:
  struct File {
    std::string type;
    std::string etag;
    std::shared_ptr<const std::string> plain;  // shared with answers
    std::shared_ptr<const std::string> gzipped;
  };
  std::map<std::string, File> files_;
};

}  // namespace fluxnetes::services
