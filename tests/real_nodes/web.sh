# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of pages_test: the pages of the chart, as the manual says: by a port that is
# forwarded, and for several people behind nginx in the pod and an ingress.

two_pods() { [[ $(k get pods -l app.kubernetes.io/component=scheduler -o name | wc -l) == 2 ]]; }
# What kubectl takes any pod for is no pod of before.
upgrade_chart() {  # HELM ARGUMENT...
  if helm upgrade fluxnetes deploy/chart -f tests/scripts/chart/values/installed.yaml "$@" \
    --wait --timeout 5m; then
    within 120 two_pods && return
  fi
  k get pods -o wide
  k get events --sort-by .lastTimestamp | tail -n 15
  k logs -l app.kubernetes.io/component=scheduler --all-containers --tail 10
  return 1
}
kill_and_wait() {  # PROCESS
  [[ -z $1 ]] || { kill "$1" && wait "$1"; } 2>/dev/null
}

claim "the chart offers the pages to its pods alone" \
  upgrade_chart --set scheduler.settings.web.listen=127.0.0.1:10293
see_pages() {
  local link
  # The forwarding outlives the shell that has typed it.
  PATH=${kubectl%/*}:$PATH typed docs/web.md 'port-forward' "s/-n fluxnetes/-n batch/
    s|10293 &|10293 >$scratch/forward.log 2>\&1 \& echo \$! >$scratch/forward.pid; sleep 5|" \
    >"$scratch/link" || { cat "$scratch/forward.log" && return 1; }
  link=$(grep -o 'link=.*' "$scratch/link")
  curl -sf -m 20 http://127.0.0.1:10293/ | grep -q '<title>' &&
    curl -sf -m 20 -c "$scratch/cookies" -H 'Content-Type: application/json' \
      -d "{\"link\": \"${link#*=}\"}" http://127.0.0.1:10293/session &&
    curl -sf -m 20 -b "$scratch/cookies" -H 'Content-Type: application/json' -d '{}' \
      http://127.0.0.1:10293/fluxnetes.v1.Scheduler/GetCaller
}
claim_says "docs/web.md forwards the port, and its link lets one in" ROLE_OPERATOR see_pages
kill "$(<"$scratch/forward.pid")"

web=$scratch/web
mkdir "$web"
load_nginx() {
  local image
  image=$(hack/images nginx) && hack/cluster load "$plane" "$image"
}
claim "the image of nginx is made and loaded" load_nginx
make_secrets() {
  local name
  for name in ops zoe; do
    echo "$name:$(openssl passwd -apr1 "secret of $name")"
  done >"$web/users"
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=flux.example \
    -addext subjectAltName=DNS:flux.example -keyout "$web/key" -out "$web/certificate" &&
    k create secret generic web-proxy --from-file deploy/examples/web/nginx.conf \
      --from-file "$web/users" &&
    k create secret tls flux-example --cert "$web/certificate" --key "$web/key"
}
claim "there are passwords and a certificate" make_secrets
manual_values() {
  python3 -c 'import re, sys
found, = (each for each in re.findall("```yaml\\n(.*?)```", sys.stdin.read(), re.S)
          if "image: nginx" in each)
print(found)' <docs/web.md >"$web/values.yaml"
}
claim "docs/web.md has the values" manual_values
claim "the chart runs nginx before the pages" upgrade_chart -f "$web/values.yaml"

ingress=
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
start_ingress() {
  local user=
  ((EUID)) || user=" user root;"  # else its workers could not read what is here
  tests/real_nodes/ingress.py "$kubectl" "$space" fluxnetes-web "$web" "$port" &&
    mkdir -p "$web/logs" || return
  /usr/sbin/nginx -c "$web/ingress.conf" -p "$web" -g "daemon off;$user" 2>"$web/log" &
  ingress=$!
  within 20 ask '' / >/dev/null
}
# Asks through the ingress; prints the status and the answer.
ask() {  # NAME PATH [CURL ARGUMENT...]
  local name=$1 path=$2 user=()
  shift 2
  [[ -z $name ]] || user=(-u "$name:secret of $name")
  curl -s -m 20 -w '\n%{http_code}\n' --cacert "$web/certificate" "${user[@]}" "$@" \
    --connect-to "flux.example:443:127.0.0.1:$port" "https://flux.example$path"
}
claim "an ingress does what the chart's Ingress says" start_ingress
call_as() {  # NAME CALL BODY
  ask "$1" "/fluxnetes/fluxnetes.v1.Scheduler/$2" -H 'Content-Type: application/json' -d "$3"
}
claim_says "it lets nobody in without a name" 401 call_as '' GetCaller '{}'
claim_says "an operator is one" '"name":"ops","role":"ROLE_OPERATOR"' call_as ops GetCaller '{}'
claim_says "others look only" '"name":"zoe","role":"ROLE_VIEWER"' call_as zoe GetCaller '{}'
claim_says "whatever name a browser claims" '"name":"zoe","role":"ROLE_VIEWER"' \
  ask zoe /fluxnetes/fluxnetes.v1.Scheduler/GetCaller -H 'Content-Type: application/json' \
  -d '{}' -H 'X-Forwarded-User: ops'
claim_says "the pages are there under their path" '<title>' ask zoe /fluxnetes/
claim_says "and nothing beside it" 404 ask zoe /elsewhere
claim_says "an action is recorded by its name" 'ops web pause queue/default' eval \
  "call_as ops SetQueue '{\"name\": \"default\", \"settings\": {\"paused\": \"true\"}}'
  query \"SELECT concat_ws(' ', caller, via, verb, object) FROM audit\""
call_as ops SetQueue '{"name": "default", "settings": {"paused": "false"}}' >/dev/null
claim_says "changes come as they happen" 'event: changes' \
  eval "ask zoe /fluxnetes/events/groups -N -m 3 || true"
claim_says "another site is refused" 403 ask ops /fluxnetes/fluxnetes.v1.Scheduler/GetCaller \
  -H 'Content-Type: application/json' -d '{}' -H 'Origin: https://evil.example'
kill_and_wait "$ingress"
claim "helm test: a gang runs beside the pages" helm test fluxnetes --timeout 3m
settles "with the pages"
