# shellcheck shell=bash
# What tests on real nodes share: a cluster of their own by hack/cluster up --nodes, a
# scheduler on it with the rights of deploy/rbac.yaml, and what always holds, which is
# looked at after each claim about work.
#
#   start_nodes COUNT            a cluster in $plane; skips the whole script where there
#                                can be none, with the reason
#   start_scheduler              a process here, on a PostgreSQL of its own
#   k ARG...                     kubectl as the administrator, in the namespace $space
#   talk ARG...                  likewise, for minutes at most
#   within SECONDS COMMAND...    holds if it succeeds by then
#   settles WORDS                a claim: the invariants hold
#   gang NAME SIZE SCRIPT [JOB [POD [CONTAINER]]]   the manifest of a gang that runs a
#                                shell script, with more fields, as JSON without braces
#   ended NAME RESULT            whether the last generation of a group ended so
#   state NAME                   of a group: bound, waiting...; empty: there is none
#   query SQL                    in the scheduler's database
#   node NAME VERB               hack/cluster node
#   talks                        whether the gang of deploy/examples/kubernetes/ranks.yaml
#                                runs to its end, whose members exchange data
# shellcheck source=tests/scripts/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/claims.sh"

plane=$(mktemp -d "${TMPDIR:-/tmp}/fluxnetes-real.XXXXXX")
program=$PWD/$(hack/build test --print-folder)/services/fluxnetes
check=$PWD/$(hack/build test --print-folder)/tests/check_invariants
space=default
scheduler=
kubectl=

# shellcheck disable=SC2317  # the trap calls it
end_all() {
  trap '' INT TERM
  stop_scheduler
  hack/cluster down "$plane"
  [[ ! -d $scratch/postgres ]] || hack/postgres stop "$scratch/postgres"
  rm -rf "$plane" "$scratch"
} >/dev/null 2>&1
trap end_all EXIT
trap 'exit 143' TERM

# Who is killed leaves no nodes behind.
guard() {
  # shellcheck disable=SC2016  # the other shell expands it
  setsid bash -c 'while kill -0 "$0" 2>/dev/null; do sleep 1; done
    [[ ! -e $1 ]] || { "$2" down "$1"; rm -rf "$1"; }' \
    $$ "$plane" "$PWD/hack/cluster" >/dev/null 2>&1 </dev/null &
}

is_up=
bring_up() { hack/cluster up "$plane" --nodes "$1" && is_up=1; }
start_nodes() {
  local why status=0
  why=$(hack/nodes can 2>&1) || status=$?
  if ((status == 0)); then
    hack/cluster tools kube-scheduler kubelet kube-proxy >/dev/null 2>&1 || status=$?
    why="there is no Go to build Kubernetes"
  fi
  if ((status == 3 || status == 4)); then
    skip "gangs run on real nodes" "$why"
    exit 0
  fi
  guard
  claim "real nodes are up" bring_up "$1"
  [[ -n $is_up ]] || exit 1
  export KUBECONFIG=$plane/admin.kubeconfig
  kubectl=$(<"$plane/run/tools")/kubectl
  hack/cluster scheduler "$plane"
}

k() { "$kubectl" -n "$space" "$@"; }
talk() { timeout 400 "$kubectl" -n "$space" "$@"; }

serve() {
  FLUXNETES_DATABASE=$url FLUXNETES_CLUSTER_KIND=api FLUXNETES_HTTP_LISTEN=off \
    FLUXNETES_KUBECONFIG=$plane/scheduler.kubeconfig FLUXNETES_RESYNC_INTERVAL=1s \
    FLUXNETES_LOG_FORMAT=text exec "$program" serve
}
start_scheduler() {
  start_postgres && FLUXNETES_DATABASE=$url "$program" migrate up || return
  serve >>"$scratch/serve.log" 2>&1 &
  scheduler=$!
  within 180 knows_nodes
}
knows_nodes() { [[ $(query 'SELECT count(*) > 0 FROM nodes') == t ]]; }
stop_scheduler() {
  [[ -z $scheduler ]] || { kill "$scheduler" && wait "$scheduler"; }
  scheduler=
}

query() { psql -X -At "$url" -c "SET search_path = fluxnetes" -c "$1" | tail -n +2; }

within() {  # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.3
  done
}

holds() {
  "$check" "$plane/admin.kubeconfig" "$url" &&
    [[ -z $(query "SELECT kind, found, names FROM resync_differences") ]] && return
  query "SELECT * FROM resync_differences"
  logs
  return 1
}
logs() {  # of the scheduler, here or in pods
  if [[ -n $scheduler ]]; then
    tail -n 20 "$scratch/serve.log"
  else
    k logs -l app.kubernetes.io/component=scheduler --tail 20 --prefix
  fi
}
settles() { claim "what always holds, holds $1" holds; }

# Each field is one more in JSON: '"backoffLimit": 0'.
gang() {
  local name=$1 size=$2 script=$3 job=${4:-} pod=${5:-} container=${6:-}
  cat <<END
{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "$name"}, "spec": {
  "completionMode": "Indexed", "completions": $size, "parallelism": $size, ${job:+$job,}
  "template": {
    "metadata": {"labels": {"fluxnetes.group-name": "$name", "fluxnetes.group-size": "$size"}},
    "spec": {"schedulerName": "fluxnetes", "restartPolicy": "Never",
      "terminationGracePeriodSeconds": 1, "nodeSelector": {"fluxnetes.test/node": "real"},
      "subdomain": "$name", ${pod:+$pod,}
      "containers": [{"name": "main", "image": "busybox:1",
        "command": ["sh", "-c", $(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$script")],
        ${container:+$container,}
        "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]}}}}
END
}

ended() {
  [[ $(query "SELECT result FROM group_history WHERE group_name = '$1'
    ORDER BY recorded_at DESC LIMIT 1") == "$2" ]]
}
state() { query "SELECT state FROM pod_groups WHERE group_name = '$1'"; }
is() { [[ $(state "$1") == "$2" ]]; }  # NAME STATE
waits() { is "$1" pending || is "$1" unsatisfiable; }  # NAME

pods_of() { k get pods -l "fluxnetes.group-name=$1" "${@:2}"; }
node() { hack/cluster node "$plane" "$@"; }
node_of() { pods_of "$1" -o jsonpath='{.items[0].spec.nodeName}'; }  # GROUP: of a member
helm() { hack/helm -n "$space" "$@"; }
on() { echo "\"nodeSelector\": {\"kubernetes.io/hostname\": \"$1\"}"; }  # NODE
# The script of a container that runs until it is told to end.
# shellcheck disable=SC2034
stays='trap "exit 1" TERM; while :; do sleep 0.2; done'
# Of a manifest by `gang`: with so many cpus a pod.
whole_node() { sed 's/"cpu": "1"/"cpu": "'"$1"'"/'; }
talks() { k apply -f deploy/examples/kubernetes/ranks.yaml && completes ranks; }
# How many of them are in a phase, by the kubelets' word.
running() { [[ $(pods_of "$1" --field-selector status.phase=Running -o name | wc -l) == "$2" ]]; }
told() { k get "$1" -o jsonpath="$2"; }  # WHAT PATH
completes() { talk wait --for condition=Complete --timeout "${2:-300}s" "job/$1" || { explain "$1" && false; }; }
fails() { talk wait --for condition=Failed --timeout "${2:-300}s" "job/$1" || { explain "$1" && false; }; }
explain() {
  pods_of "$1" -o wide
  k get events --sort-by .lastTimestamp | tail -n 15
  k logs -l "fluxnetes.group-name=$1" --tail 5 --prefix
  FLUXNETES_DATABASE=$url "$program" get groups
  logs
}
# Of the replicas in pods: the one that matches.
leader() {
  query "SELECT DISTINCT split_part(c.name, ':', 1) FROM leaders
    JOIN clients AS c ON c.id = client_id AND heartbeat_at + time_to_live > now()
    WHERE leaders.name LIKE 'match:%'"
}
