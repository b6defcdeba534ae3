# Installed with the library. What it links to must be there as well.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(pugixml)
find_dependency(PkgConfig)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
include(${CMAKE_CURRENT_LIST_DIR}/fluxnetes_matcher-targets.cmake)
