module fluxnetes.dev/tests/cluster_tools/cloudnativepg

go 1.26

require github.com/cloudnative-pg/cloudnative-pg v1.28.0
