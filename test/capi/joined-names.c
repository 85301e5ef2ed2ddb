// The entry "b_c" of the model "a" and the entry "c" of "a_b" have one name in
// C. Files of one program that include a header each call their own; a file
// with both headers is an error, and so is a program of both objects.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/joined.mlir -o %t/liba.so --emit=so,h,o
// RUN: sed 's/@b_c/@c/; s/cell.add/cell.mul/; s/4x/6x/g' %S/Inputs/joined.mlir > %t/other.mlir
// RUN: cellc %t/other.mlir -o %t/liba_b.so --emit=so,h,o
// RUN: %cc %strict -I%t -c %s -o %t/main.o
// RUN: %cc %strict -DOTHER -I%t -c %s -o %t/other.o
// RUN: %cc %t/main.o %t/other.o -L%t -la -la_b -Wl,-rpath,%t -o %t/run && %t/run
// RUN: %cc %t/main.o %t/other.o -L%t -la_b -la -Wl,-rpath,%t -o %t/run && %t/run
// RUN: %cxx -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror -I%t -c %s -o %t/main.o
// RUN: %cxx -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror -DOTHER -I%t -c %s -o %t/other.o
// RUN: %cxx %t/main.o %t/other.o -L%t -la -la_b -Wl,-rpath,%t -o %t/run && %t/run
// RUN: not %cc %strict -DOTHER -include %t/a.h -I%t -c %s -o %t/both.o 2>&1 | FileCheck %s
// CHECK: #error "a function or macro of the model 'a_b' has the name of one of another model in this file: include them in different files, or name one of the models otherwise (cellc --name, file_name of ms.export)"
// RUN: not %cc %t/main.o %t/other.o %t/liba.o %t/liba_b.o -lm -o %t/run 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: cg_a_b_c

// Another name of one of them, and all goes together.
// RUN: cellc %t/other.mlir -o %t/liba_b.so --name=other --emit=so,h,o
// RUN: sed 's/cg_a_b_/cg_other_/g' %s > %t/renamed.c
// RUN: %cc %strict -DOTHER -include %t/a.h -I%t -c %t/renamed.c -o %t/other.o
// RUN: %cc %strict -I%t -c %s -o %t/main.o
// RUN: %cc %t/main.o %t/other.o -L%t -la -la_b -Wl,-rpath,%t -o %t/run && %t/run
// RUN: %cc %t/main.o %t/other.o %t/liba.o %t/liba_b.o -lm -o %t/run && %t/run

#ifdef OTHER
#include "a_b.h"
#else
#include "a.h"
#endif

int other(void);

#ifdef OTHER
int other(void) {
#else
int main(void) {
#endif
  float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {0};
  cg_a_b_c_args args = {x, y};
  if (cg_a_b_c(&args, 0) != CG_OK)
    return 1;
#ifdef OTHER
  return y[2] != 9 || y[5] != 36 || cg_a_b_check_header() != CG_OK;
#else
  return y[2] != 6 || y[5] != 0 || cg_a_check_header() != CG_OK ? 2 : other();
#endif
}
