# shellcheck shell=bash
# Part of hack/quickstart, `--kubernetes real`: what a stranger does on a cluster: builds
# the image, installs the chart, and submits gangs, whose containers run.
# shellcheck disable=SC2154  # hack/quickstart sets $home, $program and $keep

real_kubectl() { "$(<"$home/kubernetes/run/tools")/kubectl" "$@"; }
in_batch() { real_kubectl -n batch "$@"; }
real_helm() { hack/helm -n batch "$@"; }

build_real() {
  run hack/install build
  run hack/install cluster nodes
  run hack/nodes can
  run hack/build release -- fluxnetes
  run hack/cluster tools kube-scheduler kubelet kube-proxy >/dev/null
  run hack/helm --build >/dev/null
}

# Prints their archives.
make_images() {
  hack/images debian
  hack/images postgres
  hack/images fluxnetes "$program"
}

# A folder of real-1 for each volume: nobody provides them here.
make_volumes() {
  local name
  for name in data backup; do
    hack/cluster node "$home/kubernetes" real-1 exec mkdir -p "/var/lib/kubelet/local/$name"
    cat <<END
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: $name}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 10Gi}
  local: {path: /var/lib/kubelet/local/$name}
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [real-1]}]
END
  done | in_batch apply -f - >/dev/null
}

# The examples that fit on three nodes; a gang that talks is among them.
readonly real_examples=(01-singles 02-gang 05-launcher later/05-workers 11-array kubernetes/ranks)

submit_real() {
  local example files=()
  for example in "${real_examples[@]}"; do files+=(-f "deploy/examples/$example.yaml"); done
  real_kubectl apply "${files[@]}"
}

# Until each Job has ended, a line whenever something has changed.
watch_real() {
  local shown='' now tries
  for ((tries = 0; tries < 300; tries++)); do
    now=$(real_kubectl get pods --no-headers -o custom-columns=:.status.phase | sort | uniq -c | xargs)
    if [[ $now != "$shown" ]]; then
      printf '%(%T)T pods: %s\n' -1 "$now"
      shown=$now
    fi
    # Such a pod is made again by its Job; here is why.
    real_kubectl get pods --field-selector status.phase=Failed --no-headers \
      -o custom-columns=:.metadata.name,:.status.reason,:.status.message
    [[ $(real_kubectl get jobs -o jsonpath='{.items[?(@.status.active>0)].metadata.name}') ]] ||
      return 0
    sleep 1
  done
  echo "hack/quickstart: some Jobs do not end:" >&2
  real_kubectl get jobs,pods -o wide >&2
  return 1
}

real_summary() {
  in_batch exec statefulset/fluxnetes-postgresql -- \
    psql -X -q -U postgres -d fluxnetes --pset footer=off -c "SELECT result,
      count(*) AS groups, sum(group_size) AS pods,
      date_trunc('milliseconds', avg(bound_at - submitted_at)) AS mean_wait,
      date_trunc('milliseconds', max(bound_at - submitted_at)) AS longest_wait
    FROM fluxnetes.group_history GROUP BY result ORDER BY result"
}

on_real_nodes() {
  say "Building (the first time this takes many minutes: Kubernetes is built too)"
  build_real
  say "Making the images: the program, PostgreSQL and Debian"
  make_images | sed 's/^/  /'
  say "Starting Kubernetes with three real nodes (docs/real-nodes.md)"
  # Large enough for the examples, by their own word.
  NODE_CORES=16 run hack/cluster up "$home/kubernetes" --nodes 3 >/dev/null
  export KUBECONFIG=$home/kubernetes/admin.kubeconfig
  real_kubectl get nodes -o wide
  say "Loading the images into the nodes: there is no registry"
  while read -r archive; do
    run hack/cluster load "$home/kubernetes" "$archive"
  done < <(make_images)
  say "Installing the chart: helm install fluxnetes deploy/chart -n batch"
  make_volumes
  run real_helm install fluxnetes deploy/chart --create-namespace --wait --timeout 5m >/dev/null
  in_batch get pods -o wide
  say "Submitting examples: kubectl apply -f deploy/examples/..."
  submit_real
  say "Watching their pods"
  run watch_real
  say "What the ranks of a gang have said (kubectl logs)"
  real_kubectl logs -l fluxnetes.group-name=ranks --prefix
  say "How they went"
  real_summary
  if [[ -n $keep ]]; then
    echo "Look around:   export KUBECONFIG=$KUBECONFIG"
    echo "               $(<"$home/kubernetes/run/tools")/kubectl get pods -A -o wide"
    echo "End it:        hack/quickstart --stop"
  else
    echo "It stops now; hack/quickstart --kubernetes real --keep leaves it running."
  fi
}
