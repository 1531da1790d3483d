# The architectures of each target, and what the compiler may use in their file. select.cpp asks the processor for
# every set named here; naming -march=x86-64-v3 instead would license more than it asks for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "wasm|emscripten" OR EMSCRIPTEN)
  set(ROPEWALK_ARCHES wasm)
  add_compile_options(-msimd128)  # every file: a module has either SIMD or not
  set(ROPEWALK_FLAGS_wasm -O3)  # the preset builds for size, since a page waits for every byte; the kernels for speed
else()
  set(ROPEWALK_ARCHES sse2 avx2 avx512)
  set(ROPEWALK_FLAGS_sse2 -msse2)
  set(ROPEWALK_FLAGS_avx2 -mavx2 -mfma -mf16c)
  set(ROPEWALK_FLAGS_avx512 -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c)
endif()
