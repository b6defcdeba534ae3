# shellcheck shell=bash
# The parts of real_nodes_test share its variables, and their quotes are for the pods.
# shellcheck disable=SC2016,SC2034,SC2154,SC2209
# Part of tests on real nodes: what the pods of the chart need of their nodes.

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
# The scheduler's database is a pod, which this machine reaches.
find_database() {
  url="host=$(k get pods -l app.kubernetes.io/component=postgresql -o \
    jsonpath='{.items[0].status.podIP}') user=fluxnetes dbname=fluxnetes password=$(
    k get secret "${secret:-fluxnetes-postgresql}" -o jsonpath='{.data.password}' | base64 -d)"
  [[ $(query 'SELECT 1') == 1 ]]
}
