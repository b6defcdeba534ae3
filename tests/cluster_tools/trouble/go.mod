module fluxnetes.dev/tests/cluster_tools/trouble

go 1.26.0
