# cmake --install: tools, headers and libraries, for find_package(cellgrad) in projects with passes of their own.
# LLVM's packages of the same version are needed there, too. The Python package is another component.

# As they are: they look for no library of the build folder.
foreach(_tool cellc cell-opt cell-run cell-reduce cell-lsp-server)
  install(PROGRAMS $<TARGET_FILE:${_tool}> DESTINATION bin COMPONENT compiler)
endforeach()

foreach(_folder dialect passes tools/interp)
  cmake_path(GET _folder PARENT_PATH _parent)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${_folder} DESTINATION include/cellgrad/source/${_parent} COMPONENT compiler
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN tblgen EXCLUDE)
  if(EXISTS ${CMAKE_BINARY_DIR}/${_folder})
    install(DIRECTORY ${CMAKE_BINARY_DIR}/${_folder} DESTINATION include/cellgrad/generated/${_parent} COMPONENT compiler
      FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/${_folder} DESTINATION lib/cellgrad/${_parent} COMPONENT compiler
      FILES_MATCHING PATTERN "*.a" PATTERN CMakeFiles EXCLUDE)
  endif()
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/runtime/cellgrad_abi.h ${CMAKE_SOURCE_DIR}/runtime/cpu.h
  DESTINATION include/cellgrad/source/runtime COMPONENT compiler)

configure_file(${CMAKE_SOURCE_DIR}/tools/cmake/cellgrad-config.cmake.in
  ${CMAKE_BINARY_DIR}/cellgrad-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cellgrad-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/cellgrad-config.cmake ${CMAKE_BINARY_DIR}/cellgrad-config-version.cmake
  ${CMAKE_SOURCE_DIR}/tools/cmake/CellLLVM.cmake DESTINATION lib/cmake/cellgrad COMPONENT compiler)
