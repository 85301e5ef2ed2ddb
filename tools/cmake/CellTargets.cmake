# The project's ways to add a library, a tool and generated code.

set(MLIR_TBLGEN ${CELL_LLVM_BIN}/mlir-tblgen)

# cell_built_tblgen(<folder>): the target cell-tblgen, as a finished build has it.
function(cell_built_tblgen folder)
  if(NOT EXISTS ${folder}/bin/cell-tblgen)
    message(FATAL_ERROR "'${folder}' holds no finished build: run 'make build' first")
  endif()
  add_executable(cell-tblgen IMPORTED GLOBAL)
  set_target_properties(cell-tblgen PROPERTIES IMPORTED_LOCATION ${folder}/bin/cell-tblgen)
endfunction()

# cell_tablegen(<out.inc> <td> <tool> <flags...>): one generated file in the current binary
# directory; the file is appended to CELL_GENERATED in the caller.
function(cell_tablegen out td tool)
  set(_out ${CMAKE_CURRENT_BINARY_DIR}/${out})
  if(tool STREQUAL "cell-tblgen")
    set(_exe $<TARGET_FILE:cell-tblgen>)
  else()
    set(_exe ${MLIR_TBLGEN})
  endif()
  add_custom_command(OUTPUT ${_out}
    COMMAND ${_exe} ${ARGN} -I ${CMAKE_SOURCE_DIR} -I ${CELL_LLVM_PREFIX}/include
            ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${_out} -d ${_out}.d --write-if-changed
    COMMAND ${CMAKE_COMMAND} -E touch ${_out}
    DEPFILE ${_out}.d
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td} ${_exe}
    COMMENT "tablegen ${out}" VERBATIM)
  set(CELL_GENERATED ${CELL_GENERATED} ${_out} PARENT_SCOPE)
endfunction()

# cell_instrument(<target>): adds what CELLGRAD_COVERAGE and CELLGRAD_UBSAN ask for in this folder.
function(cell_instrument name)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE _here)
  foreach(_folder IN LISTS CELLGRAD_COVERAGE)
    if("${_here}/" MATCHES "^${_folder}/")
      target_compile_options(${name} PRIVATE -O0 -fprofile-instr-generate -fcoverage-mapping)
    endif()
  endforeach()
  foreach(_folder IN LISTS CELLGRAD_UBSAN)
    if("${_here}/" MATCHES "^${_folder}/")
      # LLVM's packages have no type information for 'vptr' and 'function'.
      target_compile_options(${name} PRIVATE
        -fsanitize=undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
    endif()
  endforeach()
  if(CELLGRAD_COVERAGE)
    target_link_options(${name} PRIVATE -fprofile-instr-generate -Wl,--build-id)
  endif()
  get_target_property(_type ${name} TYPE)
  # A Python module takes the runtime that the process brings: the shared one, which tools that it
  # starts share with it.
  if(CELLGRAD_UBSAN AND _type STREQUAL "EXECUTABLE")
    target_link_options(${name} PRIVATE -fsanitize=undefined -shared-libsan
      -Wl,-rpath,${CELL_LLVM_PREFIX}/lib/clang/${CELL_LLVM_MAJOR}/lib/linux)
  endif()
endfunction()

# cell_sources(<out> <folder>): its C++ files. Every build looks whether one came or went.
function(cell_sources out folder)
  file(GLOB _sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(${out} ${_sources} PARENT_SCOPE)
endfunction()

# cell_add_library(<name> [DEPENDS targets...]): the C++ files of this folder as a static library.
function(cell_add_library name)
  cmake_parse_arguments(A "" "" "DEPENDS" ${ARGN})
  cell_sources(_sources .)
  add_library(${name} STATIC ${_sources})
  target_link_libraries(${name} PUBLIC CellMLIR ${A_DEPENDS})
  target_compile_options(${name} PRIVATE -fvisibility-inlines-hidden)
  cell_instrument(${name})
endfunction()

# cell_add_tool(<name> SOURCES ... LIBS ...): an executable in build/bin, linked statically.
function(cell_add_tool name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE CellMLIR ${A_LIBS} CellMLIRStatic)
  cell_instrument(${name})
endfunction()
