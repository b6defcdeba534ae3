# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of real_nodes_test: what becomes of gangs when kubelets and nodes are lost.

works_on() { gang works-on 3 'sleep 8; echo worked' | k apply -f - && within 180 running works-on 3; }
claim "a gang runs" works_on
without_kubelet() {
  local name
  name=$(node_of works-on)
  node "$name" kill-kubelet && sleep 3 && node "$name" start-kubelet
}
claim "the kubelet of one of its nodes is killed and started again" without_kubelet
claim "its containers have run on, to their end" completes works-on
claim_says "each of them once" "3 worked" sums works-on
claim "the gang has succeeded" within 180 ended works-on succeeded
settles "after a kubelet was killed"

# A gang whose members are soon given up on a node that is lost.
lost='"tolerations": [
  {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1},
  {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}],
  "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
    "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"fluxnetes.group-name": "moves"}}}]'
moves() {
  gang moves 3 'trap exit TERM; for i in $(seq 600); do sleep 0.2; done' '"backoffLimit": 9' "$lost" |
    whole_node 3 | k apply -f - && within 180 running moves 3
}
claim "a gang runs on nodes of which one will be lost" moves
victim=$(node_of moves)
members_on() { pods_of moves --field-selector "spec.nodeName=$1" -o name | wc -l; }
on_it=$(members_on "$victim")
claim "the plug of $victim is pulled" node "$victim" off
# Kubernetes misses it, taints it, and deletes its pods; the Job makes others.
moved() { [[ $(pods_of moves --field-selector status.phase=Running -o json | python3 -c '
import json, sys
print(sum(1 for pod in json.load(sys.stdin)["items"]
          if "deletionTimestamp" not in pod["metadata"]
          and pod["spec"]["nodeName"] != sys.argv[1]))' "$victim") == 3 ]]; }
claim "its $on_it members run on other nodes after a while" within 240 moved
claim "it is switched on again" node "$victim" on
settles "after a node was lost"
gone() { [[ $(members_on "$victim") == 0 ]]; }
claim "what ran on it is gone" within 180 gone
k delete job moves >/dev/null
back() { gang back 1 'echo back' '' "\"nodeSelector\": {\"kubernetes.io/hostname\": \"$victim\"}" | k apply -f - && completes back; }
claim "the node takes gangs again" back
settles "after it came back"
