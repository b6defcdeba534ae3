# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of real_nodes_test: what the chart installs works, also when its leader is killed.

claim "helm test: a gang runs" helm test fluxnetes --timeout 3m

claim "a gang that talks runs on it" talks
settles "with the scheduler in pods"

first=$(leader)
claim "its leader is one of its pods: ${first:-none}" k get pod "$first"
next_leads() {
  local now
  now=$(leader)
  [[ -n $now && $now != "$first" ]]
}
claim "it is killed" k delete pod "$first" --grace-period 0 --force
claim "another one leads" within 180 next_leads
k delete job,service ranks >/dev/null
claim "and schedules" helm test fluxnetes --timeout 3m
settles "after its leader was killed"
