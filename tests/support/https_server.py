"""An https server for tests: answers with the client's identity.

    https_server.py CERTIFICATE KEY CLIENT_AUTHORITY

Prints its port. Answers a GET with the bearer token and the common name of the
client's certificate, if any; answers 401 to a token that begins with "old".
"""

import http.server
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        token = self.headers.get("Authorization", "")
        subject = (self.connection.getpeercert() or {}).get("subject", ())
        names = [part[0][1] for part in subject if part[0][0] == "commonName"]
        body = (token + " " + " ".join(names)).encode()
        self.send_response(401 if token.startswith("Bearer old") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    certificate, key, client_authority = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(client_authority)
    context.verify_mode = ssl.CERT_OPTIONAL
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


main()
