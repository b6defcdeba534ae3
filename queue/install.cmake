# The work queue as a library for other projects:
#
#   find_package(fluxnetes_queue REQUIRED)
#   target_link_libraries(mine PRIVATE fluxnetes::queue)
#
# with #include <queue/store/work_queue.h>; docs/queue.md has a whole program. The
# headers below and no others; they include one another and the standard library
# alone. Below the queue are fluxnetes::sql (connections, transactions) and
# fluxnetes::migrations (its tables).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(offer target name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/${name}/)
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARGN})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT fluxnetes_queue-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fluxnetes)
endfunction()

offer(fluxnetes_sql sql condition_variable.h connection/interrupt.h
      connection/listener.h connection/pool.h connection/pool_counts.h
      connection/result.h connection/statement_tally.h connection/transaction.h
      durations.h error.h mutex.h query.h schema/migrator.h
      thread_annotations.h values/array.h values/copy_row.h values/parameter.h)
offer(fluxnetes_migrations migrations migrations.h)
offer(fluxnetes_queue queue catalogue.h clients/batch_lease.h clients/client.h
      clients/handover.h clients/joint_leadership.h clients/leadership.h
      clients/stop_signal.h
      control/inspection.h control/job_control.h jobs/job.h jobs/job_error.h
      maintenance/maintenance.h maintenance/periodic_jobs.h
      maintenance/periodic_schedule.h maintenance/retention.h
      maintenance/upkeep.h runner/events.h runner/hooks.h runner/runner.h
      runner/running_job.h runner/test_kit.h runner/workers.h store/inserter.h
      store/job_notifier.h store/leasing.h store/low_water_mark.h
      store/work_queue.h)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fluxnetes_queue)
install(EXPORT fluxnetes_queue-targets NAMESPACE fluxnetes::
  DESTINATION ${package})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/fluxnetes_queue-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES fluxnetes_queue-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/fluxnetes_queue-config-version.cmake
  DESTINATION ${package})
