# Header-only libraries the sources need (never the installed headers): xsimd for the kernels, nlohmann/json for
# the decimals of messages and for the tests. They are looked for in this order:
#   1. -DROPEWALK_INCLUDE_DIR=<folder that holds xsimd/ and nlohmann/>, or the environment variable of that name
#   2. the folder that `npm run setup` makes
#   3. the folders where CMake looks for headers, such as /usr/include
#   4. the pinned releases, by FetchContent: -DROPEWALK_FETCH=OFF forbids it
# Another system's build takes none of 3: a system include folder would bring its C library into a WASM build.
option(ROPEWALK_FETCH "Fetch the headers of xsimd and nlohmann/json that are not found" ON)

if(DEFINED ENV{XDG_CACHE_HOME})
  set(ropewalk_cache "$ENV{XDG_CACHE_HOME}/ropewalk")
else()
  set(ropewalk_cache "$ENV{HOME}/.cache/ropewalk")
endif()
set(ropewalk_hints ${ROPEWALK_INCLUDE_DIR} $ENV{ROPEWALK_INCLUDE_DIR} ${ropewalk_cache}/include)
set(ropewalk_elsewhere)
if(CMAKE_CROSSCOMPILING)
  set(ropewalk_elsewhere NO_DEFAULT_PATH)
endif()
set(ropewalk_xsimd_floor 14.3)  # older ones lack what the WASM kernels use

# The version of the xsimd in `folder`; 0 if it holds none.
function(ropewalk_xsimd_version folder result)
  set(config ${folder}/xsimd/config/xsimd_config.hpp)
  set(version 0)
  if(EXISTS ${config})
    file(STRINGS ${config} lines REGEX "^#define XSIMD_VERSION_(MAJOR|MINOR) [0-9]+")
    string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" version "${lines}")
  endif()
  set(${result} ${version} PARENT_SCOPE)
endfunction()

# Sets `result` to the folder that holds `header`, found or fetched.
function(ropewalk_headers result name header repository tag)
  find_path(ROPEWALK_${name}_DIR NAMES ${header} HINTS ${ropewalk_hints} ${ropewalk_elsewhere} NO_CMAKE_FIND_ROOT_PATH)
  set(folder ${ROPEWALK_${name}_DIR})
  set(found ${folder})
  if(folder AND name STREQUAL "xsimd")
    ropewalk_xsimd_version(${folder} version)
    if(version VERSION_LESS ropewalk_xsimd_floor)
      set(found "")
    endif()
  endif()
  if(NOT found AND ROPEWALK_FETCH)
    include(FetchContent)
    message(STATUS "ropewalk: fetching ${name} ${tag}")
    # A folder without CMakeLists.txt: the headers are all that is needed.
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SOURCE_SUBDIR include)
    FetchContent_MakeAvailable(${name})
    set(found ${${name}_SOURCE_DIR}/include)
  endif()
  if(NOT found OR NOT EXISTS ${found}/${header})
    if(folder)
      message(FATAL_ERROR "ropewalk needs xsimd ${ropewalk_xsimd_floor} or newer, but ${folder} holds ${version}. "
        "Run `npm run setup`, or pass -DROPEWALK_INCLUDE_DIR=<folder that holds xsimd/ and nlohmann/>")
    endif()
    message(FATAL_ERROR "ropewalk needs the headers of xsimd (${ropewalk_xsimd_floor} or newer) and nlohmann/json, and "
      "${header} is missing: run `npm run setup`, or pass -DROPEWALK_INCLUDE_DIR=<folder that holds xsimd/ and nlohmann/>")
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The releases of tools/setup/versions.mjs.
ropewalk_headers(ropewalk_xsimd xsimd xsimd/xsimd.hpp https://github.com/xtensor-stack/xsimd.git 14.3.0)
ropewalk_headers(ropewalk_nlohmann nlohmann_json nlohmann/json.hpp https://github.com/nlohmann/json.git v3.12.0)
set(ROPEWALK_INCLUDE_DIR ${ropewalk_xsimd} ${ropewalk_nlohmann})
list(REMOVE_DUPLICATES ROPEWALK_INCLUDE_DIR)
