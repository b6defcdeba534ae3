# Texts compiled into constants.
#
# embed_queries(FILE.sql): every query of FILE, written below a line
# `-- name: lease_jobs` and a line of description, becomes a constant
# `queries::kLeaseJobs` of type sql::QueryWith<its parameters>. The constants of
# queue/store/lease.sql are in "queue/store/lease_queries.h" with the list
# `queries::kAllLease`. The files of a floor share one namespace, so a name is
# unique within its floor.
#
# embed_migrations(TARGET): every NNNN_name.sql of the folder becomes a row of
# `migrations::All()` in "migrations/migrations.h"; those whose name begins with
# work_queue are also in `Queue()`.
#
# embed_texts(HEADER FILE...): every picture_page.css becomes a constant
# `kPicturePageCss` in "<folder>/HEADER".
#
# embed_pages(FOLDER HEADER): bundles FOLDER/app.tsx and its modules to app.js,
# app.css and a file for what a page imports only when it is shown, by esbuild,
# and puts them with index.html and icon.svg, each gzipped, into the table
# `kPageBytes` in HEADER.
set(FLUXNETES_EMBED ${CMAKE_SOURCE_DIR}/cmake/embed.py)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include_directories(${CMAKE_BINARY_DIR}/generated)

# Makes all generated files, for tools that read sources without building.
add_custom_target(generated)

# Generates the file before the libraries that the target links with are built;
# CMake would generate it after them if no other target needed it.
function(generate_early out)
  file(RELATIVE_PATH name ${CMAKE_BINARY_DIR} ${out})
  string(MAKE_C_IDENTIFIER ${name} name)
  add_custom_target(${name} DEPENDS ${out})
  add_dependencies(generated ${name})
endfunction()

function(embed_queries file)
  file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR} ${file})
  string(REGEX REPLACE "/.*" "" floor ${place})
  string(REGEX REPLACE "\\.sql$" "_queries.h" header ${place})
  set(out ${CMAKE_BINARY_DIR}/generated/${header})
  add_custom_command(OUTPUT ${out}
    COMMAND ${Python3_EXECUTABLE} ${FLUXNETES_EMBED} queries ${floor}
            ${file} ${out}
    DEPENDS ${FLUXNETES_EMBED} ${file} VERBATIM)
  generate_early(${out})
endfunction()

function(embed_texts header)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(out ${CMAKE_BINARY_DIR}/generated/${folder}/${header})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${out}
    COMMAND ${Python3_EXECUTABLE} ${FLUXNETES_EMBED} texts ${folder}
            ${ARGN} ${out}
    DEPENDS ${FLUXNETES_EMBED} ${ARGN} VERBATIM)
  generate_early(${out})
endfunction()

function(embed_pages folder header)
  find_program(ESBUILD esbuild REQUIRED)
  set(pages ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  set(made ${CMAKE_BINARY_DIR}/generated/${folder})
  set(out ${CMAKE_BINARY_DIR}/generated/${header})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${pages}/*)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
    COMMAND ${ESBUILD} ${pages}/app.tsx --bundle --minify --format=esm
            --target=es2020 --splitting --outdir=${made} --log-level=warning
    COMMAND ${Python3_EXECUTABLE} ${FLUXNETES_EMBED} pages services
            ${pages}/index.html ${pages}/icon.svg ${made} ${out}
    DEPENDS ${FLUXNETES_EMBED} ${sources} VERBATIM)
  generate_early(${out})
endfunction()

function(embed_migrations target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/[0-9]*.sql)
  set(out ${CMAKE_BINARY_DIR}/generated/migrations/migrations.cc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${Python3_EXECUTABLE} ${FLUXNETES_EMBED} migrations migrations
            ${files} ${out}
    DEPENDS ${FLUXNETES_EMBED} ${files} VERBATIM)
  add_library(${target} STATIC ${out})
  generate_early(${out})
  target_link_libraries(${target} PUBLIC fluxnetes_sql)
endfunction()
