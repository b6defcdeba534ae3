# add_test_programs(FLOOR ROOMS OBJECTS... [OPTIONS OPTION...]
#                   LIBRARIES LIBRARY... [SOURCES FILE...] [NEEDS TARGET...])
# makes FLOOR_tests of all rooms of tests/FLOOR, and for each share of a CI run
# (shares.tsv) FLOOR_tests in the folder of its name, with the rooms that this share
# needs, so that CI compiles a test only where it runs it. The latter are built only
# if they are named: FLOOR_SHARE_tests.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${CMAKE_CURRENT_SOURCE_DIR}/shares.tsv)
file(STRINGS shares.tsv rows REGEX "^[^#]")
foreach(row ${rows})
  string(REPLACE "\t" ";" columns ${row})
  list(POP_FRONT columns place share suites_that_stay_plain)
  set(share_of_${place} ${share})
  if(suites_that_stay_plain)
    set(share_of_${place} ${share} plain)
  endif()
endforeach()

# Sets OUT to the objects that a share needs of these rooms: its tests, and what is
# no test, since other rooms may use it. The tests of sql show that a build has its
# sanitizer, so each share needs them.
function(rooms_of_share out share floor)
  set(needed)
  foreach(objects ${ARGN})
    string(REGEX REPLACE ".*:${floor}_tests_(.*)>" "\\1" room ${objects})
    set(shares plain)
    foreach(place ${floor} ${floor}/${room})
      if(share_of_${place})
        set(shares ${share_of_${place}})
      endif()
    endforeach()
    file(GLOB others ${floor}/${room}/*.cc)
    list(FILTER others EXCLUDE REGEX "test\\.cc$")
    if(share IN_LIST shares OR others OR floor STREQUAL sql)
      list(APPEND needed ${objects})
    endif()
  endforeach()
  set(${out} ${needed} PARENT_SCOPE)
endfunction()

function(add_test_programs floor)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
                        "ROOMS;OPTIONS;LIBRARIES;SOURCES;NEEDS")
  set(programs ${floor}_tests)
  add_executable(${floor}_tests ${arg_OPTIONS} ${arg_ROOMS} ${arg_SOURCES})
  foreach(share plain address thread)
    rooms_of_share(rooms ${share} ${floor} ${arg_ROOMS})
    if(rooms)
      set(program ${floor}_${share}_tests)
      add_executable(${program} EXCLUDE_FROM_ALL ${rooms} ${arg_SOURCES})
      set_target_properties(${program} PROPERTIES OUTPUT_NAME ${floor}_tests
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${share})
      list(APPEND programs ${program})
    endif()
  endforeach()
  foreach(program ${programs})
    target_link_libraries(${program} PRIVATE ${arg_LIBRARIES})
    if(arg_NEEDS)
      add_dependencies(${program} ${arg_NEEDS})
    endif()
  endforeach()
endfunction()
