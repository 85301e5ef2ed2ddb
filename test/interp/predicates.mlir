// Comparisons at special values, signed integers, and bools, where false is less than true.
// Expected as Python compares; compiled.test holds the compiled code against these functions too.
// RUN: cell-run %s --entry=floats | FileCheck %s --check-prefix=FLOATS
// RUN: cell-run %s --entry=ints | FileCheck %s --check-prefix=INTS
// RUN: cell-run %s --entry=bools | FileCheck %s --check-prefix=BOOLS
// RUN: cell-run %s --entry=signs | FileCheck %s --check-prefix=SIGNS

// FLOATS:      result 0: tensor<9xi1> [false, false, true, true, true, false, false, true, false]
// FLOATS-NEXT: result 1: tensor<9xi1> [true, true, false, false, false, true, true, false, true]
// FLOATS-NEXT: result 2: tensor<9xi1> [true, false, false, false, false, false, false, false, true]
// FLOATS-NEXT: result 3: tensor<9xi1> [true, false, true, true, true, false, false, true, true]
// FLOATS-NEXT: result 4: tensor<9xi1> [false, true, false, false, false, false, false, false, false]
// FLOATS-NEXT: result 5: tensor<9xi1> [false, true, true, true, true, false, false, true, false]
func.func @floats(%a: tensor<9xf32> {cell.example = dense<[1.0, 2.0, 2.0, 0.0, -0.0, 0x7FC00000, 1.0, 0x7F800000, 0xFF800000]> : tensor<9xf32>},
                  %b: tensor<9xf32> {cell.example = dense<[2.0, 1.0, 2.0, -0.0, 0.0, 1.0, 0x7FC00000, 0x7F800000, 0x7F800000]> : tensor<9xf32>}) -> (tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>) {
  %0 = cell.equal %a, %b : tensor<9xf32>
  %1 = cell.not_equal %a, %b : tensor<9xf32>
  %2 = cell.less %a, %b : tensor<9xf32>
  %3 = cell.less_equal %a, %b : tensor<9xf32>
  %4 = cell.greater %a, %b : tensor<9xf32>
  %5 = cell.greater_equal %a, %b : tensor<9xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>
}

// INTS:      result 0: tensor<5xi1> [false, true, false, false, false]
// INTS-NEXT: result 1: tensor<5xi1> [true, false, true, true, true]
// INTS-NEXT: result 2: tensor<5xi1> [true, false, false, true, false]
// INTS-NEXT: result 3: tensor<5xi1> [true, true, false, true, false]
// INTS-NEXT: result 4: tensor<5xi1> [false, false, true, false, true]
// INTS-NEXT: result 5: tensor<5xi1> [false, true, true, false, true]
func.func @ints(%a: tensor<5xi8> {cell.example = dense<[1, -1, 3, -128, 127]> : tensor<5xi8>},
                %b: tensor<5xi8> {cell.example = dense<[2, -1, -3, 127, -128]> : tensor<5xi8>}) -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  %0 = cell.equal %a, %b : tensor<5xi8>
  %1 = cell.not_equal %a, %b : tensor<5xi8>
  %2 = cell.less %a, %b : tensor<5xi8>
  %3 = cell.less_equal %a, %b : tensor<5xi8>
  %4 = cell.greater %a, %b : tensor<5xi8>
  %5 = cell.greater_equal %a, %b : tensor<5xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}

// BOOLS:      result 0: tensor<4xi1> [true, false, false, true]
// BOOLS-NEXT: result 1: tensor<4xi1> [false, true, true, false]
// BOOLS-NEXT: result 2: tensor<4xi1> [false, false, true, false]
// BOOLS-NEXT: result 3: tensor<4xi1> [true, false, true, true]
// BOOLS-NEXT: result 4: tensor<4xi1> [false, true, false, false]
// BOOLS-NEXT: result 5: tensor<4xi1> [true, true, false, true]
func.func @bools(%a: tensor<4xi1> {cell.example = dense<[true, true, false, false]> : tensor<4xi1>},
                 %b: tensor<4xi1> {cell.example = dense<[true, false, true, false]> : tensor<4xi1>}) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = cell.equal %a, %b : tensor<4xi1>
  %1 = cell.not_equal %a, %b : tensor<4xi1>
  %2 = cell.less %a, %b : tensor<4xi1>
  %3 = cell.less_equal %a, %b : tensor<4xi1>
  %4 = cell.greater %a, %b : tensor<4xi1>
  %5 = cell.greater_equal %a, %b : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// SIGNS:      result 0: tensor<6xf32> [1.0, -1.0, 0.0, -0.0, 1.0, nan]
// SIGNS-NEXT: result 1: tensor<6xi1> [true, true, true, true, false, false]
// SIGNS-NEXT: result 2: tensor<3xi8> [1, -1, 0]
func.func @signs(%x: tensor<6xf32> {cell.example = dense<[2.5, -1.0e-40, 0.0, -0.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>},
                 %n: tensor<3xi8> {cell.example = dense<[5, -128, 0]> : tensor<3xi8>}) -> (tensor<6xf32>, tensor<6xi1>, tensor<3xi8>) {
  %0 = cell.sign %x : tensor<6xf32>
  %1 = cell.is_finite %x : tensor<6xf32>
  %2 = cell.sign %n : tensor<3xi8>
  return %0, %1, %2 : tensor<6xf32>, tensor<6xi1>, tensor<3xi8>
}
