# Finds the pinned LLVM/MLIR and describes it as two targets:
#   CellMLIR        headers, defines and warning flags: for every library
#   CellMLIRStatic  the static archives: for every executable and the Python module
# Exported MLIR targets drag in libLLVM.so, so the archives are listed by path instead.
# An installed cellgrad-config.cmake includes this file, too; it sets CELL_LLVM_VERSION and CELL_INCLUDE_DIRS.

if(NOT CELL_LLVM_VERSION)
  file(STRINGS ${CMAKE_SOURCE_DIR}/.dep-versions _pin REGEX "^llvm=")
  string(REPLACE "llvm=" "" CELL_LLVM_VERSION "${_pin}")
  set(CELL_INCLUDE_DIRS ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
endif()
string(REGEX MATCH "^[0-9]+" CELL_LLVM_MAJOR ${CELL_LLVM_VERSION})
set(CELL_LLVM_PREFIX ${CMAKE_SYSROOT}/usr/lib/llvm-${CELL_LLVM_MAJOR} CACHE PATH "Prefix of the LLVM packages")
# What runs while building: in a build for another machine, the packages of this one.
set(CELL_LLVM_BIN ${CELL_LLVM_PREFIX}/bin)
if(CMAKE_CROSSCOMPILING)
  set(CELL_LLVM_BIN /usr/lib/llvm-${CELL_LLVM_MAJOR}/bin)
endif()
list(PREPEND CMAKE_PREFIX_PATH ${CELL_LLVM_PREFIX})

find_package(MLIR ${CELL_LLVM_VERSION} REQUIRED CONFIG)
find_package(LLD REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})

set(CELL_LLVM_LIBDIR ${CELL_LLVM_PREFIX}/lib)
separate_arguments(_defs UNIX_COMMAND "${LLVM_DEFINITIONS}")

add_library(CellMLIR INTERFACE)
target_include_directories(CellMLIR SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
target_include_directories(CellMLIR INTERFACE ${CELL_INCLUDE_DIRS})
target_compile_options(CellMLIR INTERFACE ${_defs} -Wall -Wextra -Wno-unused-parameter
  -ffunction-sections -fdata-sections $<$<BOOL:${CELLGRAD_WERROR}>:-Werror>)

file(GLOB _mlir ${CELL_LLVM_LIBDIR}/libMLIR*.a)
list(FILTER _mlir EXCLUDE REGEX "Test|CAPI|Lsp|Tblgen|TableGen|Query|Reduce|PDLL|JitRunner")
# A wheel has room for no more (docs/decisions/0044-other-machines.md): those of the machine that it is for.
set(_backends x86 aarch64 riscv webassembly nvptx)
if(CELLGRAD_WHEEL)
  set(_backends x86 nvptx)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(_backends aarch64 nvptx)
  endif()
endif()
execute_process(
  COMMAND ${CELL_LLVM_BIN}/llvm-config --link-static --libnames
          ${_backends} passes lto dtlto objcopy option windowsdriver debuginfodwarf orcjit perfjitevents
  OUTPUT_VARIABLE _llvm OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(_llvm UNIX_COMMAND "${_llvm}")
list(FILTER _llvm EXCLUDE REGEX "Polly")  # named by llvm-config, not packaged
list(TRANSFORM _llvm PREPEND ${CELL_LLVM_LIBDIR}/)

add_library(CellMLIRStatic INTERFACE)
target_link_libraries(CellMLIRStatic INTERFACE
  -Wl,--start-group ${_mlir} ${_llvm}
  ${CELL_LLVM_LIBDIR}/liblldELF.a ${CELL_LLVM_LIBDIR}/liblldWasm.a ${CELL_LLVM_LIBDIR}/liblldCommon.a -Wl,--end-group
  -l:libzstd.a -l:libz.a pthread dl m)
target_link_options(CellMLIRStatic INTERFACE -Wl,--gc-sections)

find_program(CELL_MOLD mold)
if(CELL_MOLD AND NOT CELLGRAD_WHEEL)
  target_link_options(CellMLIRStatic INTERFACE -fuse-ld=mold)
endif()
