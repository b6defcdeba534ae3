# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of real_nodes_test: the chart goes.

claim "it is uninstalled" helm uninstall fluxnetes --wait --timeout 2m
# Its volumes and its password stay, as the manual says.
left() {
  k get all,configmap,role,rolebinding,networkpolicy,poddisruptionbudget,serviceaccount -o name \
    -l app.kubernetes.io/instance=fluxnetes
  k get clusterrole,clusterrolebinding,priorityclass -o name -l app.kubernetes.io/instance=fluxnetes
}
nothing_left() {
  local names
  names=$(left)
  [[ -z $names ]] || { echo "$names" && false; }
}
no_pod() { [[ -z $(k get pods -o name) ]]; }
claim "nothing of it is left" within 180 nothing_left
claim "and no pod runs" within 180 no_pod
# shellcheck disable=SC2034  # support.sh uses it
url=$own_database
