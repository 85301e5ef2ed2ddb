// Identities of elementwise ops: each holds bit for bit for every value, NaN, infinities and signed zeros included.
// RUN: cell-opt %s --canonicalize | FileCheck %s

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @neg_neg(
// CHECK-NEXT: return %arg0
func.func @neg_neg(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = cell.neg %x : tensor<2xf32>
  %1 = cell.neg %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @add_minus_zero(
// CHECK-NEXT: return %arg0
func.func @add_minus_zero(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = cell.constant dense<-0.0> : tensor<2xf32>
  %0 = cell.add %z, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @add_integer_zero(
// CHECK-NEXT: return %arg0
func.func @add_integer_zero(%x: tensor<2xi32>) -> tensor<2xi32> {
  %z = cell.constant dense<0> : tensor<2xi32>
  %0 = cell.add %x, %z : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @sub_zero(
// CHECK-NEXT: return %arg0, %arg1
func.func @sub_zero(%x: tensor<2xf32>, %n: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xi8>) {
  %z = cell.constant dense<0.0> : tensor<2xf32>
  %0 = cell.sub %x, %z : tensor<2xf32>
  %i = cell.constant dense<0> : tensor<2xi8>
  %1 = cell.sub %n, %i : tensor<2xi8>
  return %0, %1 : tensor<2xf32>, tensor<2xi8>
}

// CHECK-LABEL: func.func @times_one(
// CHECK-NEXT: return %arg0, %arg1, %arg0
func.func @times_one(%x: tensor<2xf32>, %n: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xi8>, tensor<2xf32>) {
  %one = cell.constant dense<1.0> : tensor<2xf32>
  %0 = cell.mul %one, %x : tensor<2xf32>
  %i = cell.constant dense<1> : tensor<2xi8>
  %1 = cell.mul %n, %i : tensor<2xi8>
  %2 = cell.div %x, %one : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi8>, tensor<2xf32>
}

// x^1 is x; x^0 is 1 even for NaN, and for both zeros.
// CHECK-LABEL: func.func @pow_trivial(
// CHECK-NEXT: %[[ONE:.*]] = cell.constant dense<1.000000e+00>
// CHECK-NEXT: return %arg0, %[[ONE]], %[[ONE]]
func.func @pow_trivial(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %one = cell.constant dense<1.0> : tensor<2xf32>
  %zero = cell.constant dense<0.0> : tensor<2xf32>
  %minus = cell.constant dense<-0.0> : tensor<2xf32>
  %0 = cell.pow %x, %one : tensor<2xf32>
  %1 = cell.pow %x, %zero : tensor<2xf32>
  %2 = cell.pow %x, %minus : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @pow_constant(
// CHECK-NEXT: %[[R:.*]] = cell.reciprocal %arg0
// CHECK-NEXT: %[[S:.*]] = cell.square %arg0
// CHECK-NEXT: %[[S3:.*]] = cell.square %arg0
// CHECK-NEXT: %[[C:.*]] = cell.mul %[[S3]], %arg0
// CHECK-NEXT: %[[S4:.*]] = cell.square %arg0
// CHECK-NEXT: %[[Q:.*]] = cell.square %[[S4]]
// CHECK-NEXT: return %[[R]], %[[S]], %[[C]], %[[Q]]
func.func @pow_constant(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %m1 = cell.constant dense<-1.0> : tensor<2xf32>
  %c2 = cell.constant dense<2.0> : tensor<2xf32>
  %c3 = cell.constant dense<3.0> : tensor<2xf32>
  %c4 = cell.constant dense<4.0> : tensor<2xf32>
  %0 = cell.pow %x, %m1 : tensor<2xf32>
  %1 = cell.pow %x, %c2 : tensor<2xf32>
  %2 = cell.pow %x, %c3 : tensor<2xf32>
  %3 = cell.pow %x, %c4 : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @select_known(
// CHECK-NEXT: return %arg1, %arg2, %arg1
func.func @select_known(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = cell.constant dense<true> : tensor<2xi1>
  %false = cell.constant dense<false> : tensor<2xi1>
  %0 = cell.select %true, %x, %y : tensor<2xf32>
  %1 = cell.select %false, %x, %y : tensor<2xf32>
  %2 = cell.select %c, %x, %x : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @not_not(
// CHECK-NEXT: return %arg0
func.func @not_not(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = cell.logical_not %x : tensor<2xi1>
  %1 = cell.logical_not %0 : tensor<2xi1>
  return %1 : tensor<2xi1>
}

// CHECK-LABEL: func.func @signs(
// CHECK-NEXT: %[[A:.*]] = cell.sub %arg0, %arg1
// CHECK-NEXT: %[[B:.*]] = cell.sub %arg1, %arg0
// CHECK-NEXT: %[[C:.*]] = cell.add %arg0, %arg1
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @signs(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %nx = cell.neg %x : tensor<2xf32>
  %ny = cell.neg %y : tensor<2xf32>
  %0 = cell.add %x, %ny : tensor<2xf32>
  %1 = cell.add %nx, %y : tensor<2xf32>
  %2 = cell.sub %x, %ny : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Signs leave products and quotients, where two of them cancel.
// CHECK-LABEL: func.func @signs_of_products(
// CHECK-NEXT: %[[A:.*]] = cell.mul %arg0, %arg1
// CHECK-NEXT: %[[B:.*]] = cell.div %arg0, %arg1
// CHECK-NEXT: %[[C:.*]] = cell.div %arg0, %arg1
// CHECK-NEXT: %[[D:.*]] = cell.neg %[[C]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[D]]
func.func @signs_of_products(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %nx = cell.neg %x : tensor<2xf32>
  %ny = cell.neg %y : tensor<2xf32>
  %0 = cell.mul %nx, %ny : tensor<2xf32>
  %1 = cell.div %nx, %ny : tensor<2xf32>
  %2 = cell.div %x, %ny : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @doubling(
// CHECK-NEXT: %[[TWO:.*]] = cell.constant dense<2.000000e+00>
// CHECK-NEXT: %[[A:.*]] = cell.mul %arg0, %[[TWO]]
// CHECK-NEXT: %[[B:.*]] = cell.neg %arg0
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @doubling(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = cell.add %x, %x : tensor<2xf32>
  %m1 = cell.constant dense<-1.0> : tensor<2xf32>
  %1 = cell.mul %m1, %x : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// x * 2 * 3.3 and x * 3 * 2 round once either way and overflow for the same x.
// CHECK-LABEL: func.func @scalings(
// CHECK-DAG: %[[A:.*]] = cell.constant dense<6.600000e+00>
// CHECK-DAG: %[[B:.*]] = cell.constant dense<6.000000e+00>
// CHECK: %[[P:.*]] = cell.mul %arg0, %[[A]]
// CHECK-NEXT: %[[Q:.*]] = cell.mul %arg0, %[[B]]
// CHECK-NEXT: return %[[P]], %[[Q]]
func.func @scalings(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %c2 = cell.constant dense<2.0> : tensor<2xf64>
  %c3 = cell.constant dense<3.3> : tensor<2xf64>
  %c4 = cell.constant dense<3.0> : tensor<2xf64>
  %0 = cell.mul %x, %c2 : tensor<2xf64>
  %1 = cell.mul %0, %c3 : tensor<2xf64>
  %2 = cell.mul %x, %c4 : tensor<2xf64>
  %3 = cell.mul %2, %c2 : tensor<2xf64>
  return %1, %3 : tensor<2xf64>, tensor<2xf64>
}

//===----------------------------------------------------------------------===//
// What must stay, because it is not the identity for every value
//===----------------------------------------------------------------------===//

// -0 + 0 is 0; NaN * 0 is NaN, -1 * 0 is -0; inf - inf and inf / inf are NaN; x - (-0) loses the sign of -0.
// CHECK-LABEL: func.func @not_identities(
// CHECK-DAG: %[[Z:.*]] = cell.constant dense<0.000000e+00>
// CHECK-DAG: %[[M:.*]] = cell.constant dense<-0.000000e+00>
// CHECK: cell.add %arg0, %[[Z]]
// CHECK-NEXT: cell.mul %arg0, %[[Z]]
// CHECK-NEXT: cell.sub %arg0, %arg0
// CHECK-NEXT: cell.div %arg0, %arg0
// CHECK-NEXT: cell.sub %arg0, %[[M]]
// CHECK-NEXT: cell.sub %[[Z]], %arg0
// CHECK-NEXT: cell.div %[[Z]], %arg0
// CHECK-NEXT: cell.equal %arg0, %arg0
// CHECK-NEXT: cell.less_equal %arg0, %arg0
func.func @not_identities(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>) {
  %z = cell.constant dense<0.0> : tensor<2xf32>
  %m = cell.constant dense<-0.0> : tensor<2xf32>
  %0 = cell.add %x, %z : tensor<2xf32>
  %1 = cell.mul %x, %z : tensor<2xf32>
  %2 = cell.sub %x, %x : tensor<2xf32>
  %3 = cell.div %x, %x : tensor<2xf32>
  %4 = cell.sub %x, %m : tensor<2xf32>
  %5 = cell.sub %z, %x : tensor<2xf32>
  %6 = cell.div %z, %x : tensor<2xf32>
  %7 = cell.equal %x, %x : tensor<2xf32>
  %8 = cell.less_equal %x, %x : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>
}

// Scaling up and down again hides overflow, scaling down and up again underflow; 1.5 * 2 differs from 3 on subnormals;
// a product of constants that overflows is no factor.
// CHECK-LABEL: func.func @not_scalings(
// CHECK-COUNT-8: cell.mul
// CHECK-NOT: cell.mul
func.func @not_scalings(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) {
  %up = cell.constant dense<1024.0> : tensor<2xf16>
  %down = cell.constant dense<0.0009765625> : tensor<2xf16>
  %half = cell.constant dense<1.5> : tensor<2xf16>
  %two = cell.constant dense<2.0> : tensor<2xf16>
  %0 = cell.mul %x, %up : tensor<2xf16>
  %1 = cell.mul %0, %down : tensor<2xf16>
  %2 = cell.mul %x, %down : tensor<2xf16>
  %3 = cell.mul %2, %up : tensor<2xf16>
  %4 = cell.mul %x, %half : tensor<2xf16>
  %5 = cell.mul %4, %two : tensor<2xf16>
  %6 = cell.mul %x, %up : tensor<2xf16>
  %7 = cell.mul %6, %up : tensor<2xf16>
  return %1, %3, %5, %7 : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>
}

// The logarithm of an exponential, the root of a square and sums in another order are not the same numbers.
// CHECK-LABEL: func.func @not_algebra(
// CHECK-NEXT: cell.exp
// CHECK-NEXT: cell.log
// CHECK-NEXT: cell.square
// CHECK-NEXT: cell.sqrt
// CHECK-NEXT: cell.add
// CHECK-NEXT: cell.sub
func.func @not_algebra(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = cell.exp %x : tensor<2xf32>
  %1 = cell.log %0 : tensor<2xf32>
  %2 = cell.square %x : tensor<2xf32>
  %3 = cell.sqrt %2 : tensor<2xf32>
  %4 = cell.add %x, %y : tensor<2xf32>
  %5 = cell.sub %4, %y : tensor<2xf32>
  return %1, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// pow by other constants stays; stop_gradient is no identity before differentiation.
// CHECK-LABEL: func.func @stays(
// CHECK: cell.pow
// CHECK-NEXT: cell.stop_gradient
func.func @stays(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = cell.constant dense<0.5> : tensor<2xf32>
  %0 = cell.pow %x, %c : tensor<2xf32>
  %1 = cell.stop_gradient %x : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
