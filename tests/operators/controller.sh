#!/usr/bin/env bash
# Builds the controller of an operator, whose module is in tests/cluster_tools, into
# the user's cache at its first use, and prints where it is. That takes two to four
# minutes of a processor and Go 1.26; exit status 3: no suitable Go.
#
#   controller.sh kuberay            the program
#   controller.sh kuberay --sources  the folder of its module, with its manifests
set -euo pipefail

readonly name=${1:?controller.sh needs the name of an operator}
here=$(cd "$(dirname "$0")/../cluster_tools/$name" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/fluxnetes
PATH=$cache/go/bin:$PATH  # hack/install has one there if the machine's is too old

if [[ ! $(go env GOVERSION 2>/dev/null) =~ ^go1\.(2[6-9]|[3-9][0-9]) ]]; then
  echo "controller.sh: needs Go 1.26 to build $name (hack/install test)" >&2
  exit 3
fi
if [[ ${2:-} == --sources ]]; then
  module=$(sed -n 's/^require \([^ (]*\) v.*/\1/p' "$here/go.mod")
  (cd "$here" && go mod download -json "$module") | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'
  exit
fi
folder=$cache/controllers/$(cat "$here"/{go.sum,tools.go} | sha256sum | cut -c -12)
package=$(sed -n 's/^import _ "\(.*\)"$/\1/p' "$here/tools.go")
mkdir -p "$folder"
exec 8>"$folder/lock"
flock 8
if [[ ! -x $folder/$name ]]; then
  echo "building $name" >&2
  # Renamed when complete, so that an interrupted build leaves nothing.
  nice -n 10 go build -C "$here" -trimpath -o "$folder/$name.new" -ldflags '-s -w' "$package"
  mv "$folder/$name.new" "$folder/$name"
fi
echo "$folder/$name"
