# cmake --install: the libraries, their headers, the package that find_package(ropewalk) finds, and pkg-config's files.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ropewalk_package ${CMAKE_INSTALL_LIBDIR}/cmake/ropewalk)
install(TARGETS ropewalk EXPORT ropewalk-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY cpp/include/ropewalk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET ropewalk_c)
  # ropewalk::c here and in the build tree.
  set_target_properties(ropewalk_c PROPERTIES EXPORT_NAME c)
  install(TARGETS ropewalk_c EXPORT ropewalk-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES cpp/include/ropewalk.h cpp/include/ropewalk_models.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

install(EXPORT ropewalk-targets NAMESPACE ropewalk:: DESTINATION ${ropewalk_package})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config.cmake
  "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/ropewalk-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ropewalk-config-version.cmake DESTINATION ${ropewalk_package})

# The prefix is where the file lies, so that an installed tree can be moved.
function(ropewalk_pkg_config name description libraries)
  set(place ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH up /${place} /)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    "prefix=\${pcfiledir}/${up}\n"
    "libdir=\${prefix}${CMAKE_INSTALL_LIBDIR}\n"
    "includedir=\${prefix}${CMAKE_INSTALL_INCLUDEDIR}\n\n"
    "Name: ${name}\n"
    "Description: ${description}\n"
    "Version: ${PROJECT_VERSION}\n"
    "Libs: -L\${libdir} ${libraries}\n"
    "Cflags: -I\${includedir}\n")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${place})
endfunction()
ropewalk_pkg_config(ropewalk "Rotary position embeddings and transformers on them, C++20" "-lropewalk -pthread")
if(TARGET ropewalk_c)
  ropewalk_pkg_config(ropewalk_c "Rotary position embeddings for C" "-lropewalk_c")
endif()
