# The matcher as a library for other projects:
#
#   find_package(fluxnetes_matcher REQUIRED)
#   target_link_libraries(mine PRIVATE fluxnetes::matcher)
#
# with #include <matcher/fluxion/matcher.h>. The headers below and no others: what a
# user of the two matchers, of the readers and of the writers needs. They
# include one another and the standard library alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_sources(fluxnetes_matcher PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}
  FILES admission/kubelet_demand.h fluxion/find_expression.h fluxion/matcher.h gangs/explanation.h
        gangs/gang.h gangs/node_graph.h nodes/room_log.h nodes/shortfall.h
        graph/constraint.h graph/hash_index.h graph/host_list.h graph/id_set.h
        graph/names.h graph/resource_graph.h inside/inside_request.h
        inside/node_interior.h inside/short_structure.h jobspec/jobspec.h
        nodes/node_set.h
        policy.h readers/graph_error.h readers/grug.h readers/hwloc.h
        readers/jgf.h readers/rv1exec.h readers/text_source.h rules/task_rules.h
        units.h writers/graph_writer.h writers/match_writer.h
        writers/picture.h)
set_target_properties(fluxnetes_matcher PROPERTIES EXPORT_NAME matcher)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fluxnetes_matcher)
install(TARGETS fluxnetes_matcher EXPORT fluxnetes_matcher-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fluxnetes)
install(EXPORT fluxnetes_matcher-targets NAMESPACE fluxnetes::
  DESTINATION ${package})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/fluxnetes_matcher-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES fluxnetes_matcher-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/fluxnetes_matcher-config-version.cmake
  DESTINATION ${package})
