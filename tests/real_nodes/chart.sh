# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of real_nodes_test: the chart as users install it, with its PostgreSQL in a pod.

stop_scheduler
space=batch

load_images() {
  local image
  image=$(hack/images fluxnetes "$program") && hack/cluster load "$plane" "$image" &&
    image=$(hack/images postgres) && hack/cluster load "$plane" "$image" real-1
}
claim "the images are made and loaded" load_images

# A folder of real-1 for each, as there is nobody who provides volumes.
volume() {  # NAME
  hack/cluster node "$plane" real-1 exec mkdir -p "/var/lib/kubelet/local/$1" &&
    k apply -f - <<END
apiVersion: v1
kind: PersistentVolume
metadata: {name: $1}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 10Gi}
  local: {path: /var/lib/kubelet/local/$1}
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [real-1]}]
END
}
claim "there are volumes" eval "volume data && volume backup"
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
claim "helm test: a gang runs" helm test fluxnetes --timeout 3m

# The scheduler's database is that pod now, which this machine reaches.
own_database=$url
find_database() {
  url="host=$(k get pods -l app.kubernetes.io/component=postgresql -o \
    jsonpath='{.items[0].status.podIP}') user=fluxnetes dbname=fluxnetes password=$(
    k get secret fluxnetes-postgresql -o jsonpath='{.data.password}' | base64 -d)"
  [[ $(query 'SELECT 1') == 1 ]]
}
claim "its database answers" find_database
claim "a gang that talks runs on it" talks
settles "with the scheduler in pods"

leader() {
  query "SELECT DISTINCT split_part(c.name, ':', 1) FROM leaders
    JOIN clients AS c ON c.id = client_id AND heartbeat_at + time_to_live > now()
    WHERE leaders.name LIKE 'match:%'"
}
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
