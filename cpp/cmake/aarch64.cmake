# Cross-compiles for 64-bit ARM with Debian's g++-aarch64-linux-gnu, and runs the tests under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# GCC notes what version 10 passed otherwise.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
# Debian's C library for ARM; qemu needs it to find the dynamic loader.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
