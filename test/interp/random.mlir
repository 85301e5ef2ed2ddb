// Random bits: the blocks of counter 0 are the test vectors of Random123 (kat_vectors,
// threefry2x32 with 20 rounds: 6b200159 99ba4efe for key 0), the others what JAX 0.10 gives
// with jax_threefry_partitionable.
// RUN: cell-run %s --entry=bits | FileCheck %s

// CHECK:      result 0: tensor<i64> 7719171245655871230
// CHECK-NEXT: result 1: tensor<4x5xi32> {{\[\[}}-1113379620, -1228657762, -382294241, 1985247174, 155480040], [1581786415, -1690545473, -387745568, -2039570761, -850997734], [-1333094699, -122049032, 368750377, 667112019, -295353576], [-1312322050, -441403857, 756301264, 700693783, -1615387361]]
// CHECK-NEXT: result 2: tensor<3x4xi64> {{\[\[}}-5377093896742136501, -5241076826674569221, -7033000969443777026, -4030418180915239998], [7719171245655871230, 3989946895414531357, -639706131588038527, -7849079757828726850], [7409490244425684281, -365872533958548728, -5684365199256564535, -1361379084533661546]]
// CHECK-NEXT: result 3: tensor<3xi32> [-1113379620, -224768089, -1486563033]
// Parts of a stream: the second row of result 1 from its third element on; blocks across a carry into the
// upper word, and across the end of all counters.
// RUN: cell-run %s --entry=parts | FileCheck %s --check-prefix=PARTS
// PARTS:      result 0: tensor<2x3xi32> {{\[\[}}-387745568, -2039570761, -850997734], [-1333094699, -122049032, 368750377]]
// PARTS-NEXT: result 1: tensor<1x6xi32> {{\[\[}}1901010137, -238278876, -65871967, -608909825, -761053497, 642088383]]
// PARTS-NEXT: result 2: tensor<4xi32> [-527660824, 2103642752, -224768089, -91998574]
func.func @parts(%k: tensor<4xi32> {cell.example = dense<[1, -7, 7, 0]> : tensor<4xi32>},
                 %across: tensor<1x4xi32> {cell.example = dense<[[1, -7, -3, 5]]> : tensor<1x4xi32>},
                 %last: tensor<4xi32> {cell.example = dense<[0, 0, -2, -1]> : tensor<4xi32>})
    -> (tensor<2x3xi32>, tensor<1x6xi32>, tensor<4xi32>) {
  %0 = cell.random_bits %k : tensor<4xi32> -> tensor<2x3xi32>
  %1 = cell.random_bits %across : tensor<1x4xi32> -> tensor<1x6xi32>
  %2 = cell.random_bits %last : tensor<4xi32> -> tensor<4xi32>
  return %0, %1, %2 : tensor<2x3xi32>, tensor<1x6xi32>, tensor<4xi32>
}

func.func @bits(%k: tensor<2xi32> {cell.example = dense<[1, -7]> : tensor<2xi32>},
                %ks: tensor<3x2xi32> {cell.example = dense<[[1, -7], [0, 0], [320888, -123456789]]> : tensor<3x2xi32>})
    -> (tensor<i64>, tensor<4x5xi32>, tensor<3x4xi64>, tensor<3xi32>) {
  %zero = cell.constant dense<0> : tensor<2xi32>
  %0 = cell.random_bits %zero : tensor<2xi32> -> tensor<i64>
  %1 = cell.random_bits %k : tensor<2xi32> -> tensor<4x5xi32>
  %2 = cell.random_bits %ks : tensor<3x2xi32> -> tensor<3x4xi64>
  %3 = cell.random_bits %ks : tensor<3x2xi32> -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<i64>, tensor<4x5xi32>, tensor<3x4xi64>, tensor<3xi32>
}
