# The architectures of each processor, the preferred one first, and behind one that fuses multiply-adds the one that takes
# its place where bits must be the same everywhere. Each is a file of this folder and a line here. After the name
# stand the features of x86 that the compiler may use in the file. select.cpp asks the processor for every one of them;
# naming -march=x86-64-v3 instead would license more than it asks for.
set(ROPEWALK_ARCHES)
set(ROPEWALK_ARCH_LIST "")
function(ropewalk_arch name)
  set(asked true)
  set(flags)
  foreach(feature IN LISTS ARGN)
    list(APPEND flags -m${feature})
    if(feature MATCHES "^(f16c|avxvnni)$")  # Clang's __builtin_cpu_supports does not know them
      string(APPEND asked " && has_${feature}()")
    else()
      string(APPEND asked " && __builtin_cpu_supports(\"${feature}\")")
    endif()
  endforeach()
  set(ROPEWALK_ARCHES ${ROPEWALK_ARCHES} ${name} PARENT_SCOPE)
  set(ROPEWALK_ARCH_LIST "${ROPEWALK_ARCH_LIST}ROPEWALK_ARCH(${name}, ${asked})\n" PARENT_SCOPE)
  set(ROPEWALK_FLAGS_${name} ${flags} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "wasm|emscripten" OR EMSCRIPTEN)
  ropewalk_arch(wasm)
  add_compile_options(-msimd128)  # every file: a module has either SIMD or not
  set(ROPEWALK_FLAGS_wasm -O3)  # the preset builds for size, since a page waits for every byte; the kernels for speed
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)")
  ropewalk_arch(neon)
else()
  ropewalk_arch(avx512 avx512f avx512cd avx512bw avx512dq avx512vl avx2 fma f16c)
  ropewalk_arch(avx512vnni_unfused avx512f avx512cd avx512bw avx512dq avx512vl avx512vnni avx2 fma f16c)
  ropewalk_arch(avx2 avx2 fma f16c)
  ropewalk_arch(avxvnni_unfused avx2 f16c avxvnni)
  ropewalk_arch(avx2_unfused avx2 f16c)
  ropewalk_arch(sse2 sse2)
endif()

list(LENGTH ROPEWALK_ARCHES count)
if(count EQUAL 1)
  add_compile_definitions(ROPEWALK_ONLY_ARCH=${ROPEWALK_ARCHES})
endif()
# The list that select.cpp includes.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/arch/list.inc CONTENT "${ROPEWALK_ARCH_LIST}" @ONLY)
