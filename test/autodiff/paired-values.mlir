// Derivatives of cell.eigh and cell.svd of what stands for complex matrices: values come in pairs.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=10 | FileCheck %s --check-prefix=VALUES

// The vectors of a pair may be turned: what they span is what is looked at.
// FORWARD: cell.eigh %{{.*}} {paired = true} : tensor<4x4xf64> -> tensor<4xf64>, tensor<4x4xf64>
func.func private @f(%x: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %w, %v = cell.eigh %x {paired = true} : tensor<4x4xf64> -> tensor<4xf64>, tensor<4x4xf64>
  %0 = cell.slice %v from [0, 0] to [4, 2] by [1, 1] : tensor<4x4xf64> -> tensor<4x2xf64>
  %1 = cell.matmul %0, %0 {transpose_b = true} : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x4xf64>
  return %w, %1 : tensor<4xf64>, tensor<4x4xf64>
}

// FORWARD: cell.svd %{{.*}} {paired = true} : tensor<4x4xf64> -> tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>
func.func private @g(%x: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %u, %s, %v = cell.svd %x {paired = true} : tensor<4x4xf64> -> tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>
  %0 = cell.slice %u from [0, 0] to [4, 2] by [1, 1] : tensor<4x4xf64> -> tensor<4x2xf64>
  %1 = cell.slice %v from [0, 0] to [4, 2] by [1, 1] : tensor<4x4xf64> -> tensor<4x2xf64>
  %2 = cell.slice %s from [0] to [2] by [1] : tensor<4xf64> -> tensor<2xf64>
  %3 = cell.broadcast %2 along [0] : tensor<2xf64> -> tensor<4x2xf64>
  %4 = cell.mul %0, %3 : tensor<4x2xf64>
  %5 = cell.matmul %4, %1 {transpose_b = true} : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x4xf64>
  return %s, %5 : tensor<4xf64>, tensor<4x4xf64>
}

// The quotient between the columns of a pair is 0, whatever the difference of the two values is.
// ADJOINT-LABEL: func.func private @vjp(
// ADJOINT-DAG: %[[ZERO:.*]] = cell.constant dense<0.000000e+00> : tensor<4x4xf64>
// ADJOINT-DAG: %[[PAIRS:.*]] = cell.constant dense<{{\[\[false, true, false, false\], \[true, false, false, false\], \[false, false, false, true\], \[false, false, true, false\]\]}}> : tensor<4x4xi1>
// ADJOINT: cell.triangle %{{.*}} {diagonal = 1 : i64, lower = false} : tensor<4x4xf64>
// ADJOINT-NEXT: %[[QUOTIENTS:.*]] = cell.add %{{.*}}, %{{.*}} : tensor<4x4xf64>
// ADJOINT-NEXT: %[[F:.*]] = cell.select %[[PAIRS]], %[[ZERO]], %[[QUOTIENTS]] : tensor<4x4xf64>
// ADJOINT: cell.mul %[[F]], %{{.*}} : tensor<4x4xf64>
func.func private @vjp(%x: tensor<4x4xf64>, %cw: tensor<4xf64>, %c: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %0:3 = cell.vjp @f(%x) cotangents(%cw, %c) of [0, 1] wrt [0] : (tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>)
  return %0#2 : tensor<4x4xf64>
}

// Numbers by differences with 60 digits.
// VALUES:      result 0: tensor<4xf64> {{\[0\.8074175964, 0\.8074175964, 6\.192582404, 6\.192582404\]}}
// VALUES-NEXT: result 1: tensor<4x4xf64> {{\[\[0\.7785430073, -0\.1856953382, [-e0-9.]+, -0\.3713906764\], \[-0\.1856953382, 0\.2214569927, 0\.3713906764, [-e0-9.]+\], \[[-e0-9.]+, 0\.3713906764, 0\.7785430073, -0\.1856953382\], \[-0\.3713906764, [-e0-9.]+, -0\.1856953382, 0\.2214569927\]\]}}
// VALUES-NEXT: result 2: tensor<4x4xf64> {{\[\[0\.2107649151, 0\.0, 0\.0, 0\.0\], \[-1\.629636675, -1\.390056966, 0\.0, 0\.0\], \[-0\.07043616276, 1\.888969819, 0\.399661897, 0\.0\], \[-2\.157907895, 0\.1088558879, -1\.600821881, -1\.220369846\]\]}}
// VALUES-NEXT: result 3: tensor<4xf64> {{\[2\.374834209, 2\.374834209, -0\.874834209, -0\.874834209\]}}
// VALUES-NEXT: result 4: tensor<4x4xf64> {{\[\[0\.1216624629, 0\.2593331447, [-e0-9.]+, -0\.03841972514\], \[0\.2593331447, -0\.1216624629, 0\.03841972514, [-e0-9.]+\], \[[-e0-9.]+, 0\.03841972514, 0\.1216624629, 0\.2593331447\], \[-0\.03841972514, [-e0-9.]+, 0\.2593331447, -0\.1216624629\]\]}}
// VALUES-NEXT: result 5: tensor<4xf64> {{\[3\.918784672, 3\.918784672, 2\.4275763, 2\.4275763\]}}
// VALUES-NEXT: result 6: tensor<4x4xf64> {{\[\[0\.6717078939, 0\.1282522308, 0\.2453112325, -0\.2264564743\], \[2\.91328805, -0\.5924580967, -2\.13591376, -1\.173623276\], \[-0\.2453112325, 0\.2264564743, 0\.6717078939, 0\.1282522308\], \[2\.13591376, 1\.173623276, 2\.91328805, -0\.5924580967\]\]}}
// VALUES-NEXT: result 7: tensor<4x4xf64> {{\[\[3\.076747931, 0\.7173598726, 4\.132826811, -1\.765537815\], \[-0\.282876982, 2\.885182118, -1\.950891142, -2\.861537379\], \[-4\.132826811, 1\.765537815, 3\.076747931, 0\.7173598726\], \[1\.950891142, 2\.861537379, -0\.282876982, 2\.885182118\]\]}}
// VALUES-NEXT: result 8: tensor<4xf64> {{\[-0\.1362357967, -0\.1362357967, -1\.427811455, -1\.427811455\]}}
// VALUES-NEXT: result 9: tensor<4x4xf64> {{\[\[2\.361632855, -1\.437210384, -3\.869344076, -0\.4592874675\], \[1\.467730557, 2\.419664575, 0\.7151948145, 2\.049612878\], \[3\.869344076, 0\.4592874675, 2\.361632855, -1\.437210384\], \[-0\.7151948145, -2\.049612878, 1\.467730557, 2\.419664575\]\]}}
func.func @values() -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>) {
  %h = cell.constant dense<[[2.0, 1.0, 0.0, 2.0], [1.0, 5.0, -2.0, 0.0], [0.0, -2.0, 2.0, 1.0], [2.0, 0.0, 1.0, 5.0]]> : tensor<4x4xf64>
  %th = cell.constant dense<[[1.0, -2.0, 0.0, -1.0], [-2.0, 0.5, 1.0, 0.0], [0.0, 1.0, 1.0, -2.0], [-1.0, 0.0, -2.0, 0.5]]> : tensor<4x4xf64>
  %x = cell.constant dense<[[1.0, 2.0, -0.5, 1.0], [3.0, -1.0, -2.0, -1.0], [0.5, -1.0, 1.0, 2.0], [2.0, 1.0, 3.0, -1.0]]> : tensor<4x4xf64>
  %tx = cell.constant dense<[[1.0, -2.0, -2.0, -1.0], [0.5, 1.0, 1.0, -0.5], [2.0, 1.0, 1.0, -2.0], [-1.0, 0.5, 0.5, 1.0]]> : tensor<4x4xf64>
  %cw = cell.constant dense<[1.0, 1.0, -2.0, -2.0]> : tensor<4xf64>
  %c = cell.constant dense<[[1.0, 2.0, 0.0, -1.0], [0.5, 1.0, 3.0, 1.0], [-2.0, 1.0, 1.0, 0.0], [1.0, 0.0, 2.0, -1.0]]> : tensor<4x4xf64>
  %cg = cell.constant dense<[[1.0, 2.0, 2.0, -1.0], [0.5, 1.0, -1.0, 0.0], [-2.0, 1.0, 1.0, 2.0], [1.0, 0.0, 0.5, 1.0]]> : tensor<4x4xf64>
  %0:3 = cell.vjp @f(%h) cotangents(%cw, %c) of [0, 1] wrt [0] : (tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>)
  %1:4 = cell.jvp @f(%h) tangents(%th) wrt [0] of [0, 1] : (tensor<4x4xf64>, tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>)
  %2:3 = cell.vjp @g(%x) cotangents(%cw, %cg) of [0, 1] wrt [0] : (tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>)
  %3:4 = cell.jvp @g(%x) tangents(%tx) wrt [0] of [0, 1] : (tensor<4x4xf64>, tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>)
  return %0#0, %0#1, %0#2, %1#2, %1#3, %2#0, %2#1, %2#2, %3#2, %3#3 : tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>
}
