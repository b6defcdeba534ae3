# shellcheck shell=bash
# What the manual has people type on a cluster, for chart_install_test, with its
# cluster: as it stands there, but for names that stand for others.
# shellcheck disable=SC2154  # chart_install_test has them
mkdir -p "$scratch"/{bin,home}
ln -s "$PWD/tests/scripts/chart/kubectl" "$(hack/helm --build)" "$scratch/image/fluxnetes" \
  "$scratch/bin"
export KUBECTL=$kubectl_program PODS=$pods
# What was built for hack/helm stays where it is.
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}
export HOME=$scratch/home PATH=$scratch/bin:$scratch/home/.local/bin:$PATH
there() { timeout 120 "$kubectl_program" -n "${namespace:-fluxnetes}" "$@"; }

claim "it is installed for a database that is there" \
  typed docs/install.md 'generic fluxnetes-database' "s/namespace fluxnetes/namespace elsewhere/
    s/-n fluxnetes/-n elsewhere/; s/install fluxnetes/install other/
    s|PASSWORD@db.example/fluxnetes?sslmode=verify-full|$before@fluxnetes-postgresql.batch/fluxnetes|"
namespace=elsewhere
claim "and is ready" there rollout status deployment/other-fluxnetes --timeout 100s
namespace=
# Roles of the cluster have the release's name.
claim "both are uninstalled" eval \
  "helm uninstall fluxnetes --wait && hack/helm -n elsewhere uninstall other --wait"

claim_says "docs/install.md installs it by helm, and its gang is placed" \
  'Phase:          Succeeded' \
  typed docs/install.md 'helm install fluxnetes deploy/chart -n fluxnetes --create'
claim_says "commands run in its pods" 'fluxnetes-test' typed docs/install.md 'kubectl -n fluxnetes exec'
claim_says "where doctor has all rights that the scheduler needs" 'ok       rights in the cluster: all but those for' \
  "$scratch/bin/kubectl" -n fluxnetes exec deployment/fluxnetes -c scheduler -- fluxnetes doctor
in_database() { "$pods/fluxnetes/fluxnetes-postgresql-0/enter" psql -X -At -U postgres -c "$1"; }
one_pod=$(there get pods -l app.kubernetes.io/component=scheduler -o name | head -n 1)
network=$(basename "$(realpath "$pods/fluxnetes/${one_pod#pod/}")")
claim_says "docs/monitoring.md asks whether it is ready" '[+] loops' \
  typed docs/monitoring.md 'curl' "s|^|nsenter --net=/run/netns/$network |"
trace=$(in_database "SELECT split_part(traceparent, '-', 2) FROM group_history LIMIT 1")
claim_says "and finds a group's lines by its trace" '"message":"group allocated"' \
  typed docs/monitoring.md 'kubectl -n fluxnetes logs' \
  "s/4bf92f3577b34da6a3ce929d0e0e4736/${trace:-none}/"

as_plugin() {
  FLUXNETES_DATABASE="host=$(there get service fluxnetes-postgresql -o jsonpath='{.spec.clusterIP}') dbname=fluxnetes user=fluxnetes" \
    PGPASSWORD=$(there get secret fluxnetes-postgresql -o jsonpath='{.data.password}' |
      base64 -d) typed docs/commands.md 'ln -s'
}
claim "docs/commands.md makes a plugin of kubectl of it" as_plugin

nightly() {  # four pods that somebody holds
  sed 's/solver/nightly/; s/"4"/&\n        fluxnetes.hold: "true"/' \
    "$scratch/docs.first-gang-01.yaml" | there apply -n default -f - &&
    until_it_is 1 "SELECT count(*) FROM pod_groups WHERE group_name = 'nightly'"
}
until_it_is() {  # TEXT QUERY
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    [[ $(in_database "$2") == "$1" ]] && return
    sleep 0.1
  done
  in_database "SELECT * FROM pod_groups"
  return 1
}
tests/scripts/support/docs.py yaml "$scratch" docs/first-gang.md
claim "there is a group that waits" nightly
claim "docs/workloads.md puts it off" typed docs/workloads.md 'kubectl label'
claim "until the time that it says" until_it_is "$(date -d 'tomorrow 6:00' +%s)" \
  "SELECT extract(epoch FROM start_after)::bigint FROM pod_groups
    WHERE group_name = 'nightly'"

claim "docs/install.md upgrades it" typed docs/install.md 'helm upgrade'
claim_says "to the image that it says" fluxnetes:0.2.0 \
  there get pods -l app.kubernetes.io/component=scheduler -o jsonpath='{..image}'
claim_says "backs it up" "wrote /backup/fluxnetes-" \
  typed docs/install.md 'kubectl -n fluxnetes create job backup-1'
claim "restores it" typed docs/install.md 'kubectl -n fluxnetes scale'
named() {
  local name
  name=$(there get pvc fluxnetes-backup -o jsonpath='{.metadata.uid}') &&
    name=$(basename "$pods/claims/$name"/*.dump) &&
    there scale deployment fluxnetes --replicas 0 &&
    there wait --for delete pod -l app.kubernetes.io/component=scheduler &&
    typed docs/install.md 'kubectl set env' \
      "s/fluxnetes-2026-01-31T03-17-00Z.dump/$name/; s/job restore-1/job restore-2/" &&
    there wait --for condition=complete --timeout 20s job/restore-2
}
claim "restores a backup that it names" named
claim "uninstalls it" typed docs/install.md 'helm uninstall'
claim "and deletes what is left" typed docs/install.md 'kubectl -n fluxnetes delete'
claim_says "so that nothing is" "No resources found" there get pvc,secret
claim "its namespace goes" there delete namespace fluxnetes
claim "it installs it by kubectl" typed docs/install.md 'deploy/manifests/fluxnetes.yaml'
