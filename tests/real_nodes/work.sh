# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of real_nodes_test: what containers do, and what becomes of their gangs.

# A gang whose members talk to each other.
sums() { talk logs -l "fluxnetes.group-name=$1" --tail -1 | sort | uniq -c | xargs; }
claim "the ranks of a gang find each other by name and exchange their data" talks
all_talk() { talk logs -l fluxnetes.group-name=ranks --tail -1 | grep -c 'their sum is 14$'; }
claim_says "each has all of it" 4 all_talk
claim "it is over for the scheduler" within 180 ended ranks succeeded
# What makes that a test: started in part, they cannot.
in_part() {
  sed 's/ranks/parted/g; s/schedulerName: fluxnetes/schedulerName: default-scheduler/
    s/parallelism: 4/parallelism: 3/; s/value: "60"/value: "5"/' deploy/examples/kubernetes/ranks.yaml |
    k apply -f - && fails parted
}
claim "started in part, by another scheduler, they do not" in_part
claim_says "because one does not answer" "rank 3 does not answer" \
  talk logs -l fluxnetes.group-name=parted --tail -1
k delete job,service --all --wait=false >/dev/null
settles "after a gang that talks"

# shellcheck disable=SC2016  # pods expand it
failing() {
  gang failing 2 '[ $JOB_COMPLETION_INDEX = 0 ] || sleep 60; exit 3' '"backoffLimit": 0' | k apply -f - &&
    fails failing
}
claim "a container that fails fails its Job" failing
claim "and its gang" within 180 ended failing failed
settles "after a container that fails"

# The init container is larger than what comes after it, and the sidecar runs beside it.
beside='"initContainers": [
  {"name": "before", "image": "busybox:1", "command": ["sh", "-c", "echo was here >/shared/mark"],
   "volumeMounts": [{"name": "shared", "mountPath": "/shared"}], "resources": {"requests": {"cpu": "3"}}},
  {"name": "beside", "image": "busybox:1", "restartPolicy": "Always",
   "command": ["sh", "-c", "trap exit TERM; while :; do sleep 0.2; done"],
   "resources": {"requests": {"cpu": "1"}}}],
  "volumes": [{"name": "shared", "emptyDir": {}}]'
with_init() {
  gang with-init 4 'cat /shared/mark; sleep 2' '' "$beside" \
    '"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]' | k apply -f - && completes with-init
}
claim "a gang with init containers and sidecars runs to its end" with_init
claim_says "its containers come after those" "4 was here" sums with-init
claim "its sidecars do not keep it" within 180 ended with-init succeeded
settles "after init containers and sidecars"

# Terminating pods hold their node until they have ended.
fills='"nodeSelector": {"kubernetes.io/hostname": "real-1"}, "terminationGracePeriodSeconds": 30'
slowly='trap "sleep 6; echo ended well; exit 0" TERM; while :; do sleep 0.2; done'
leaves() { gang leaves 2 "$slowly" '' "$fills" | whole_node 3 | k apply -f - && within 180 running leaves 2; }
claim "a gang that ends slowly runs" leaves
comes_after() {
  k delete job leaves --wait=false
  gang after 2 'sleep 1' '' "$fills" | whole_node 3 | k apply -f - && completes after
}
claim "what needs its node runs after it" comes_after
bound_after() {
  [[ $(query "SELECT (SELECT bound_at FROM group_history WHERE group_name = 'after') >
    (SELECT ended_at FROM group_history WHERE group_name = 'leaves')") == t ]]
}
claim "and only when they have ended" bound_after
settles "after a gang that ends slowly"

# Nobody pulls it: the pods have a node, and wait there.
no_image() {
  gang no-image 2 'true' '' '"activeDeadlineSeconds": 600' | sed 's|busybox:1|localhost/nothing:1|' |
    k apply -f - && within 180 waits_for_image
}
waits_for_image() {
  pods_of no-image -o jsonpath='{.items[*].status.containerStatuses[*].state.waiting.reason}' |
    grep -qE '^(ErrImage|ImagePull|ErrImageN)[A-Za-z]* (ErrImage|ImagePull)'
}
claim "an image that cannot be pulled is waited for" no_image
claim "the group is bound all the while" is no-image bound
settles "while an image cannot be pulled"
k delete job no-image >/dev/null
claim "when it is deleted nothing of it is left" within 180 is no-image ''
