# A floor is a library, and its rooms are the folders in it. Each room compiles
# separately, as one unit (hack/build), so that a change recompiles only the rooms
# that it reaches; names in unnamed namespaces must be unique within a room.
#
# add_floor(NAME [PUBLIC LIBRARY...] [PRIVATE LIBRARY...] [EXCEPT ROOM...]):
# makes the library fluxnetes_NAME of all sources of this folder and its rooms,
# except main.cc, with the queries of each .sql compiled in (embed.cmake).
#
# collect_rooms(OUT FOLDER [EXCEPT FILE...] [LIBRARIES LIBRARY...]):
# sets OUT to the objects of tests/FOLDER and of the rooms in it, each compiled
# separately with these libraries, without the files named after EXCEPT. A room of
# nothing but tests is not optimized, since compiling takes longer than running it.

# Sets OUT to the folders of these files, without duplicates.
function(folders_of out)
  set(folders)
  foreach(file ${ARGN})
    get_filename_component(folder ${file} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${out} ${folders} PARENT_SCOPE)
endfunction()

function(add_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE;EXCEPT")
  set(floor fluxnetes_${name})
  add_library(${floor} STATIC)
  target_link_libraries(${floor} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  file(GLOB queries CONFIGURE_DEPENDS *.sql */*.sql)
  foreach(file ${queries})
    embed_queries(${file})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS *.cc */*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  folders_of(folders ${sources})
  set(rooms)
  foreach(folder ${folders})
    get_filename_component(room ${folder} NAME)
    if(room IN_LIST arg_EXCEPT)
      continue()
    endif()
    set(of_room ${sources})
    list(FILTER of_room INCLUDE REGEX "^${folder}/[^/]*$")
    set(target ${floor}_${room})
    add_library(${target} OBJECT ${of_room})
    target_link_libraries(${target} PRIVATE ${arg_PUBLIC} ${arg_PRIVATE})
    add_dependencies(${target} generated)
    target_sources(${floor} PRIVATE $<TARGET_OBJECTS:${target}>)
    list(APPEND rooms ${target})
  endforeach()
  set_target_properties(${floor} PROPERTIES ROOMS "${rooms}")
endfunction()

function(collect_rooms out folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "EXCEPT;LIBRARIES")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc ${folder}/*/*.cc)
  foreach(file ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/${file}$")
  endforeach()
  folders_of(folders ${sources})
  set(objects)
  foreach(room ${folders})
    set(of_room ${sources})
    list(FILTER of_room INCLUDE REGEX "^${room}/[^/]*$")
    get_filename_component(name ${room} NAME)
    set(target ${folder}_tests_${name})
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${of_room})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    list(FILTER of_room EXCLUDE REGEX "test\\.cc$")
    if(NOT of_room)
      target_compile_options(${target} PRIVATE -O0)
    endif()
    add_dependencies(${target} generated)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
