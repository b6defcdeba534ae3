# Installed with the library. What it links to must be there as well.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(Threads)
find_dependency(PostgreSQL)
find_dependency(PkgConfig)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
include(${CMAKE_CURRENT_LIST_DIR}/fluxnetes_queue-targets.cmake)
