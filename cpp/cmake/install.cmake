# cmake --install: the library, its headers, and the package that find_package(ropewalk) finds.

if(NOT EMSCRIPTEN)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  if(TARGET ropewalk_c)
    install(TARGETS ropewalk_c EXPORT ropewalk-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES cpp/include/ropewalk.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  install(TARGETS ropewalk EXPORT ropewalk-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY cpp/include/ropewalk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ropewalk-targets NAMESPACE ropewalk:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ropewalk)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config.cmake
    "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n"
    "include(\${CMAKE_CURRENT_LIST_DIR}/ropewalk-targets.cmake)\n")
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ropewalk)
endif()
