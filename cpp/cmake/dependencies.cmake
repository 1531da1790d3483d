# Header-only libraries the sources need (never the installed headers): xsimd for the kernels, nlohmann/json for
# the decimals of messages and for the tests. `npm run setup` puts both into a folder that holds nothing else, since a
# system include folder would bring its C library into a WASM build.

if(DEFINED ENV{XDG_CACHE_HOME})
  set(ropewalk_cache "$ENV{XDG_CACHE_HOME}/ropewalk")
else()
  set(ropewalk_cache "$ENV{HOME}/.cache/ropewalk")
endif()

find_path(ROPEWALK_INCLUDE_DIR NAMES xsimd/xsimd.hpp
  HINTS $ENV{ROPEWALK_INCLUDE_DIR} ${ropewalk_cache}/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT ROPEWALK_INCLUDE_DIR OR NOT EXISTS ${ROPEWALK_INCLUDE_DIR}/nlohmann/json.hpp)
  message(FATAL_ERROR "ropewalk needs the headers of xsimd (14.3 or newer) and nlohmann/json: run `npm run setup`, "
    "or pass -DROPEWALK_INCLUDE_DIR=<folder that holds xsimd/ and nlohmann/>")
endif()

file(STRINGS ${ROPEWALK_INCLUDE_DIR}/xsimd/config/xsimd_config.hpp xsimd_lines
  REGEX "^#define XSIMD_VERSION_(MAJOR|MINOR) [0-9]+")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" xsimd_version "${xsimd_lines}")
if(xsimd_version VERSION_LESS 14.3)
  message(FATAL_ERROR "ropewalk needs xsimd 14.3 or newer, but ${ROPEWALK_INCLUDE_DIR} holds ${xsimd_version}: "
    "older ones lack what the WASM kernels use. Run `npm run setup`.")
endif()
