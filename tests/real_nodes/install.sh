# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of tests on real nodes: the chart as users install it, with its PostgreSQL in a
# pod, and the scheduler's database is that one then.

space=batch
own_database=${url:-}

# shellcheck source=tests/real_nodes/images.sh
source tests/real_nodes/images.sh
install_chart() {
  helm install fluxnetes deploy/chart --create-namespace \
    -f tests/scripts/chart/values/installed.yaml --wait --timeout 5m || {
    k get pods -o wide
    k get events --sort-by .lastTimestamp | tail -n 15
    k logs -l app.kubernetes.io/component=scheduler --tail 10
    false
  }
}
claim "helm installs the chart, and its pods are ready" install_chart
claim "its database answers" find_database
