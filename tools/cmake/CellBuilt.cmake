# In place of the libraries' own folders: the archives of a finished build, CELLGRAD_BUILT, under the names of its
# targets. Only the extension module is then compiled, for another Python.
cmake_path(ABSOLUTE_PATH CELLGRAD_BUILT BASE_DIRECTORY ${CMAKE_SOURCE_DIR} NORMALIZE)
cell_built_tblgen(${CELLGRAD_BUILT})
target_include_directories(CellMLIR INTERFACE ${CELLGRAD_BUILT})  # generated headers

file(GLOB_RECURSE _built ${CELLGRAD_BUILT}/dialect/*.a ${CELLGRAD_BUILT}/passes/*.a ${CELLGRAD_BUILT}/tools/*.a)
add_library(cellRegistry INTERFACE)
target_link_libraries(cellRegistry INTERFACE CellMLIR -Wl,--start-group ${_built} -Wl,--end-group)
add_library(cellInterp ALIAS cellRegistry)
