"""How many bytes of scripts and styles the browser gets, as the server sends them."""

import gzip
import http.client
import re

MOST = 40_000  # all but what the timeline alone needs
MOST_OF_TIMELINE = 20_000


class Bundle:
    """first: what the first page needs; timeline: what it needs more; rest: what
    the other pages need more."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.sizes, self.later = {}, set()
        page = self.read("")
        del self.sizes[""]
        self.first = self.add(set(re.findall(r'(?:src|href)="(?:\./)?([\w.-]+\.(?:js|css))"', page)))
        self.timeline = self.add({path for path in self.later if path.startswith("timeline")})
        self.rest = self.add(set(self.later))

    def read(self, path):
        self.connection.request("GET", "/" + path, headers={"Accept-Encoding": "gzip"})
        answer = self.connection.getresponse()
        body = answer.read()
        self.sizes[path] = len(body)
        packed = answer.getheader("Content-Encoding") == "gzip"
        return (gzip.decompress(body) if packed else body).decode()

    def add(self, waiting):
        """The bytes of these and of what they import, without what was read before."""
        before = sum(self.sizes.values())
        while waiting:
            path = waiting.pop()
            if path in self.sizes:
                continue
            text = self.read(path)
            self.later.update(re.findall(r'import\("\./([\w.-]+\.js)"\)', text))
            waiting |= set(re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', text))
        return sum(self.sizes.values()) - before
