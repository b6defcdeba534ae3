# A floor is a library, and its rooms are the folders in it. Most of a compiler's
# work is to read headers and to make the same templates again, so rooms compile
# together: as many as fit in FLUXNETES_UNIT_BYTES of source are one unit, with 0
# each room is one. Names in unnamed namespaces must be unique within a unit, which
# they are if they are unique within the floor.
#
# add_floor(NAME [PUBLIC LIBRARY...] [PRIVATE LIBRARY...] [EXCEPT ROOM...]
#           [APART ROOM...]):
# makes the library fluxnetes_NAME of all sources of this folder and its rooms,
# except main.cc, with the queries of each .sql compiled in (embed.cmake). The rooms
# APART are the object library fluxnetes_NAME_apart too, for programs that take them
# without the rest.
#
# group_rooms(OUT FILE...): sets OUT to the names of the units that these files make,
# and GROUP_<name> to the files of each.
set(FLUXNETES_UNIT_BYTES 0 CACHE STRING
    "Rooms compile together up to so many bytes of source; 0: each by itself")

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

function(group_rooms out)
  set(names)
  set(bytes 0)
  folders_of(folders ${ARGN})
  foreach(folder ${folders})
    set(of_room ${ARGN})
    list(FILTER of_room INCLUDE REGEX "^${folder}/[^/]*$")
    set(bytes_of_room 0)
    foreach(file ${of_room})
      file(SIZE ${file} bytes_of_file)
      math(EXPR bytes_of_room "${bytes_of_room} + ${bytes_of_file}")
    endforeach()
    math(EXPR bytes "${bytes} + ${bytes_of_room}")
    # The first room of a unit gives it its name.
    if(NOT names OR bytes GREATER FLUXNETES_UNIT_BYTES)
      get_filename_component(name ${folder} NAME)
      list(APPEND names ${name})
      set(GROUP_${name})
      set(bytes ${bytes_of_room})
    endif()
    list(APPEND GROUP_${name} ${of_room})
  endforeach()
  foreach(name ${names})
    set(GROUP_${name} ${GROUP_${name}} PARENT_SCOPE)
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

function(add_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE;EXCEPT;APART")
  set(floor fluxnetes_${name})
  file(GLOB queries CONFIGURE_DEPENDS *.sql */*.sql)
  foreach(file ${queries})
    embed_queries(${file})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS *.cc */*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  foreach(room ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/${room}/[^/]*$")
  endforeach()
  set(apart)
  foreach(room ${arg_APART})
    set(of_room ${sources})
    list(FILTER of_room INCLUDE REGEX "/${room}/[^/]*$")
    list(APPEND apart ${of_room})
    list(REMOVE_ITEM sources ${of_room})
  endforeach()

  add_library(${floor} STATIC)
  target_link_libraries(${floor} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  set(libraries ${floor})
  if(apart)
    add_library(${floor}_apart OBJECT)
    target_link_libraries(${floor}_apart PRIVATE ${arg_PUBLIC} ${arg_PRIVATE})
    target_sources(${floor} PRIVATE $<TARGET_OBJECTS:${floor}_apart>)
    list(APPEND libraries ${floor}_apart)
  endif()
  set(sources_of_${floor} ${sources})
  set(sources_of_${floor}_apart ${apart})
  foreach(library ${libraries})
    add_dependencies(${library} generated)
    target_sources(${library} PRIVATE ${sources_of_${library}})
    set_target_properties(${library} PROPERTIES UNITY_BUILD_MODE GROUP)
    group_rooms(units ${sources_of_${library}})
    foreach(unit ${units})
      set_source_files_properties(${GROUP_${unit}} PROPERTIES UNITY_GROUP ${unit})
    endforeach()
  endforeach()
endfunction()
