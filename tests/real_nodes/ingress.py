#!/usr/bin/python3
"""A controller of one Ingress, as small as can be: writes FOLDER/nginx.conf and the
certificate, by which nginx does what the Ingress says.

    ingress.py KUBECTL NAMESPACE NAME FOLDER PORT

It ends TLS for the hosts that the Ingress names, and passes each path on to the pods
behind its Service, unchanged; other hosts and paths are not found. It holds back no
answer that says so (X-Accel-Buffering), as nginx always does.
"""

import base64
import json
import pathlib
import subprocess
import sys

HEAD = """pid FOLDER/ingress.pid;
error_log stderr warn;
events {}
http {
  access_log off;
  client_body_temp_path FOLDER/ingress-body;
  proxy_temp_path FOLDER/ingress-proxy;
  fastcgi_temp_path FOLDER/ingress-fastcgi;
  uwsgi_temp_path FOLDER/ingress-uwsgi;
  scgi_temp_path FOLDER/ingress-scgi;
  ssl_certificate FOLDER/tls.crt;
  ssl_certificate_key FOLDER/tls.key;
  server {
    listen 127.0.0.1:PORT ssl default_server;
    return 404;
  }
"""
LOCATION = """    location PATH {
      proxy_pass http://NAME;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
"""


def main():
    kubectl, namespace, name, folder, port = sys.argv[1:]

    def get(*words):
        return json.loads(subprocess.run([kubectl, "-n", namespace, "get", *words, "-o", "json"],
                                         check=True, capture_output=True, text=True).stdout)

    ingress = get("ingress", name)["spec"]
    text = HEAD
    for number, each in enumerate(ingress["tls"]):
        assert number == 0, "one certificate is enough here"
        for file, content in get("secret", each["secretName"])["data"].items():
            pathlib.Path(folder, file).write_bytes(base64.b64decode(content))
    for rule in ingress["rules"]:
        assert rule["host"] in ingress["tls"][0]["hosts"]
        server = f"  server {{\n    listen 127.0.0.1:PORT ssl;\n    server_name {rule['host']};\n"
        for path in rule["http"]["paths"]:
            assert path["pathType"] == "Prefix"
            service = path["backend"]["service"]
            upstream = f"{service['name']}-{service['port']['name']}"
            servers = []
            for subset in get("endpoints", service["name"])["subsets"]:
                found, = [p["port"] for p in subset["ports"] if p["name"] == service["port"]["name"]]
                servers += [f"server {a['ip']}:{found};" for a in subset["addresses"]]
            text += f"  upstream {upstream} {{ {' '.join(servers)} }}\n"
            server += LOCATION.replace("PATH", path["path"]).replace("NAME", upstream)
        text += server + "  }\n"
    text += "}\n"
    pathlib.Path(folder, "ingress.conf").write_text(text.replace("FOLDER", folder).replace("PORT", port), encoding="utf-8")


if __name__ == "__main__":
    main()
