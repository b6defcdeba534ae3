# Warnings are errors in programs for tests; sanitizers and fault injection have an
# option each; ccache is used if installed. Asserts stay in every build (no
# -DNDEBUG): a bug ends the process before it reaches the database, and the queue
# survives that.
add_compile_options(-Wall -Wextra)
include_directories(${CMAKE_SOURCE_DIR})
# Programs for tests take a third less work to compile with -Og than with -O2, and less
# than with -O0. No test compiles with -O2, which finds other causes for warnings.
if(FLUXNETES_FAULTS)
  add_compile_options(-Werror)
  set(CMAKE_CXX_FLAGS_RELEASE "-Og")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2")
endif()

# Clang finds uses of what a mutex guards without the mutex
# (sql/thread_annotations.h).
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-Wthread-safety)
endif()

# g++ treats the file that includes several sources as a header (its manual,
# -Wsubobject-linkage).
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-subobject-linkage)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

if(FLUXNETES_SANITIZE)
  string(REPLACE ";" "," sanitizers "${FLUXNETES_SANITIZE}")
  # With sanitizers clang takes two to three times as long at -O1.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options(-O0)
  else()
    add_compile_options(-O1)
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g1)
  # These two look at each use of a pointer, a quarter of what is to be compiled; ASan
  # finds a null pointer that is used.
  if(FLUXNETES_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize=null,alignment)
  endif()
  add_link_options(-fsanitize=${sanitizers})
  add_compile_definitions(FLUXNETES_SANITIZED)  # tests wait longer then
  # g++ warns falsely if a sanitizer's checks stand between a value and its use
  # (its manual, -Wmaybe-uninitialized).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(FLUXNETES_FAULTS)
  add_compile_definitions(FLUXNETES_FAULTS)
endif()
