# KenLM's query code, compiled in from its own source package.
#
# A source distribution of ours has the package in third_party. Elsewhere it is fetched by name with
# pip, pinned and verified by hash, and kept in the user's cache, so that a second build (or another
# clone) does not fetch it again. Where the registry is closed: set HOPEFEAR_KENLM_SOURCE to the file.

set(kenlm_requirement ${CMAKE_SOURCE_DIR}/third_party/kenlm.txt)
file(STRINGS ${kenlm_requirement} kenlm_pin LIMIT_COUNT 1)
if(NOT kenlm_pin MATCHES "^kenlm==([0-9.]+) --hash=sha256:([0-9a-f]+)$")
  message(FATAL_ERROR "${kenlm_requirement} names no version of kenlm with its hash: ${kenlm_pin}")
endif()
set(kenlm_version ${CMAKE_MATCH_1})
set(kenlm_sha256 ${CMAKE_MATCH_2})
set(kenlm_name kenlm-${kenlm_version})

if(DEFINED ENV{XDG_CACHE_HOME})
  set(kenlm_cache $ENV{XDG_CACHE_HOME}/hopefear)
elseif(DEFINED ENV{HOME})
  set(kenlm_cache $ENV{HOME}/.cache/hopefear)
else()
  set(kenlm_cache ${CMAKE_BINARY_DIR}/cache)
endif()
set(kenlm_archive ${kenlm_cache}/${kenlm_name}.tar.gz)
if(DEFINED ENV{HOPEFEAR_KENLM_SOURCE})
  set(kenlm_archive $ENV{HOPEFEAR_KENLM_SOURCE})
  if(NOT EXISTS ${kenlm_archive})
    message(FATAL_ERROR "HOPEFEAR_KENLM_SOURCE names ${kenlm_archive}, which does not exist")
  endif()
elseif(EXISTS ${CMAKE_SOURCE_DIR}/third_party/${kenlm_name}.tar.gz)
  set(kenlm_archive ${CMAKE_SOURCE_DIR}/third_party/${kenlm_name}.tar.gz)
endif()

function(kenlm_fetch)
  message(STATUS "Fetching the source package kenlm==${kenlm_version}")
  set(work ${CMAKE_BINARY_DIR}/kenlm-fetch)
  file(MAKE_DIRECTORY ${work})
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m pip download --quiet --disable-pip-version-check --no-deps
            --no-binary kenlm --require-hashes -r ${kenlm_requirement} -d ${work}
    RESULT_VARIABLE status ERROR_VARIABLE why OUTPUT_QUIET)
  if(NOT status EQUAL 0 OR NOT EXISTS ${work}/${kenlm_name}.tar.gz)
    message(FATAL_ERROR
      "The source package kenlm==${kenlm_version} could not be fetched with pip:\n${why}\n"
      "hopefear compiles KenLM's query code from it. Connect to a package index, or fetch the file "
      "elsewhere (pip download --no-deps --no-binary kenlm kenlm==${kenlm_version}) and set "
      "HOPEFEAR_KENLM_SOURCE to its path.")
  endif()
  # Renamed into place whole: a build that is interrupted leaves no half file in the cache.
  file(MAKE_DIRECTORY ${kenlm_cache})
  string(RANDOM LENGTH 8 suffix)
  file(COPY ${work}/${kenlm_name}.tar.gz DESTINATION ${kenlm_cache}/${suffix})
  file(RENAME ${kenlm_cache}/${suffix}/${kenlm_name}.tar.gz ${kenlm_archive})
  file(REMOVE_RECURSE ${kenlm_cache}/${suffix} ${work})
endfunction()

if(NOT EXISTS ${kenlm_archive})
  kenlm_fetch()
endif()
file(SHA256 ${kenlm_archive} kenlm_found)
if(NOT kenlm_found STREQUAL kenlm_sha256)
  message(FATAL_ERROR
    "${kenlm_archive} is not kenlm ${kenlm_version}: its SHA-256 is ${kenlm_found}, expected "
    "${kenlm_sha256}. Remove the file and build again.")
endif()

set(kenlm_dir ${CMAKE_BINARY_DIR}/${kenlm_name})
if(NOT EXISTS ${kenlm_dir}/LICENSE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar xzf ${kenlm_archive}
                  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
endif()

file(GLOB kenlm_sources ${kenlm_dir}/lm/*.cc ${kenlm_dir}/util/*.cc
     ${kenlm_dir}/util/double-conversion/*.cc)
list(FILTER kenlm_sources EXCLUDE REGEX "(_main|_test)\\.cc$")
add_library(kenlm_query STATIC ${kenlm_sources})
target_include_directories(kenlm_query SYSTEM PUBLIC ${kenlm_dir})
target_compile_definitions(kenlm_query PUBLIC KENLM_MAX_ORDER=6 PRIVATE NDEBUG)
target_compile_options(kenlm_query PRIVATE ${optimization} -w)
find_library(kenlm_rt rt)
if(kenlm_rt)
  target_link_libraries(kenlm_query PUBLIC ${kenlm_rt})
endif()
