# cmake -DNM=... -DFILE=... -P CheckUndefined.cmake: fails when FILE, a Python module, has
# undefined symbols other than Python's, versioned ones of the C libraries and those of a
# sanitizer, whose runtime the process brings. Weak ones ('w' for llvm-nm) may stay undefined.
execute_process(COMMAND ${NM} -D --undefined-only ${FILE}
  OUTPUT_VARIABLE _lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "U [^\n]+" _names "${_lines}")
list(TRANSFORM _names REPLACE "^U " "")
list(FILTER _names EXCLUDE REGEX "^_?Py|^__(ubsan|asan|sanitizer)_|@(GLIBC|GCC|GLIBCXX|CXXABI)_")
if(_names)
  file(REMOVE ${FILE})
  list(JOIN _names "\n  " _names)
  message(FATAL_ERROR "${FILE} refers to symbols nothing defines:\n  ${_names}")
endif()
