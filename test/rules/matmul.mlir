// Derivative of cell.matmul, for every combination of transposed operands. Bilinear.
// Expected numbers by numpy: A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], B = [[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]], cotangent W = [[1.0, 2.0], [3.0, -1.0]],
// tangents of A [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0]] and of B [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]; dA = W B^T, dB = A^T W.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=nn_values --passes=cell-differentiate | FileCheck %s --check-prefix=NN
// RUN: cell-run %s --entry=nt_values --passes=cell-differentiate | FileCheck %s --check-prefix=NT
// RUN: cell-run %s --entry=tn_values --passes=cell-differentiate | FileCheck %s --check-prefix=TN
// RUN: cell-run %s --entry=tt_values --passes=cell-differentiate | FileCheck %s --check-prefix=TT
// RUN: cell-run %s --entry=second --passes=cell-differentiate | FileCheck %s --check-prefix=SECOND
// RUN: cell-run %s --entry=batched --passes=cell-differentiate | FileCheck %s --check-prefix=BATCH

// FORWARD-LABEL: @nn(
// FORWARD: cell.matmul %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
func.func private @nn(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %0 = cell.matmul %a, %b : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func @nn_vjp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[DA:.*]] = cell.matmul %[[CT]], %[[B]] {transpose_b = true}
// ADJOINT-NEXT: %[[DB:.*]] = cell.matmul %[[A]], %[[CT]] {transpose_a = true}
// ADJOINT-NEXT: return %[[DA]], %[[DB]]
func.func @nn_vjp(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>, %ct: tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<3x2xf64>) {
  %0:3 = cell.vjp @nn(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>)
  return %0#1, %0#2 : tensor<2x3xf64>, tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func @nn_jvp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}}, %[[U:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[P:.*]] = cell.matmul %[[T]], %[[B]] :
// ADJOINT-NEXT: %[[Q:.*]] = cell.matmul %[[A]], %[[U]] :
// ADJOINT-NEXT: %[[R:.*]] = cell.add %[[P]], %[[Q]]
// ADJOINT-NEXT: return %[[R]]
func.func @nn_jvp(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>, %t: tensor<2x3xf64>, %u: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @nn(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// NN:      result 0: tensor<2x2xf64> {{\[\[5.0, 8.0\], \[14.0, 14.0\]\]}}
// NN-NEXT: result 1: tensor<2x3xf64> {{\[\[-1.0, 2.0, 6.0\], \[4.0, 6.0, -3.0\]\]}}
// NN-NEXT: result 2: tensor<3x2xf64> {{\[\[13.0, -2.0\], \[17.0, -1.0\], \[21.0, 0.0\]\]}}
// NN-NEXT: result 3: tensor<2x2xf64> {{\[\[6.0, 5.0\], \[11.0, 16.0\]\]}}
func.func @nn_values() -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2xf64>) {
  %a = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %b = cell.constant dense<[[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]]> : tensor<3x2xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -1.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[0.0, 1.0, 0.0], [1.0, 0.0, 2.0]]> : tensor<2x3xf64>
  %u = cell.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf64>
  %0:3 = cell.vjp @nn(%a, %b) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>)
  %1:2 = cell.jvp @nn(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2xf64>
}

// FORWARD-LABEL: @nt(
// FORWARD: cell.matmul %{{.*}}, %{{.*}} {transpose_b = true} : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
func.func private @nt(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x2xf64> {
  %0 = cell.matmul %a, %b {transpose_b = true} : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func @nt_vjp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[DA:.*]] = cell.matmul %[[CT]], %[[B]] :
// ADJOINT-NEXT: %[[DB:.*]] = cell.matmul %[[CT]], %[[A]] {transpose_a = true}
// ADJOINT-NEXT: return %[[DA]], %[[DB]]
func.func @nt_vjp(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>, %ct: tensor<2x2xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %0:3 = cell.vjp @nt(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1, %0#2 : tensor<2x3xf64>, tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @nt_jvp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}}, %[[U:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[P:.*]] = cell.matmul %[[T]], %[[B]] {transpose_b = true} :
// ADJOINT-NEXT: %[[Q:.*]] = cell.matmul %[[A]], %[[U]] {transpose_b = true} :
// ADJOINT-NEXT: %[[R:.*]] = cell.add %[[P]], %[[Q]]
// ADJOINT-NEXT: return %[[R]]
func.func @nt_jvp(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>, %t: tensor<2x3xf64>, %u: tensor<2x3xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @nt(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// NT:      result 0: tensor<2x2xf64> {{\[\[5.0, 8.0\], \[14.0, 14.0\]\]}}
// NT-NEXT: result 1: tensor<2x3xf64> {{\[\[-1.0, 2.0, 6.0\], \[4.0, 6.0, -3.0\]\]}}
// NT-NEXT: result 2: tensor<2x3xf64> {{\[\[13.0, 17.0, 21.0\], \[-2.0, -1.0, 0.0\]\]}}
// NT-NEXT: result 3: tensor<2x2xf64> {{\[\[6.0, 5.0\], \[11.0, 16.0\]\]}}
func.func @nt_values() -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x2xf64>) {
  %a = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %b = cell.constant dense<[[1.0, 2.0, 0.0], [-1.0, 0.0, 3.0]]> : tensor<2x3xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -1.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[0.0, 1.0, 0.0], [1.0, 0.0, 2.0]]> : tensor<2x3xf64>
  %u = cell.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]> : tensor<2x3xf64>
  %0:3 = cell.vjp @nt(%a, %b) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @nt(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x2xf64>
}

// FORWARD-LABEL: @tn(
// FORWARD: cell.matmul %{{.*}}, %{{.*}} {transpose_a = true} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
func.func private @tn(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %0 = cell.matmul %a, %b {transpose_a = true} : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func @tn_vjp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[DA:.*]] = cell.matmul %[[B]], %[[CT]] {transpose_b = true}
// ADJOINT-NEXT: %[[DB:.*]] = cell.matmul %[[A]], %[[CT]] :
// ADJOINT-NEXT: return %[[DA]], %[[DB]]
func.func @tn_vjp(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>, %ct: tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %0:3 = cell.vjp @tn(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>)
  return %0#1, %0#2 : tensor<3x2xf64>, tensor<3x2xf64>
}

// ADJOINT-LABEL: func.func @tn_jvp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}}, %[[U:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[P:.*]] = cell.matmul %[[T]], %[[B]] {transpose_a = true} :
// ADJOINT-NEXT: %[[Q:.*]] = cell.matmul %[[A]], %[[U]] {transpose_a = true} :
// ADJOINT-NEXT: %[[R:.*]] = cell.add %[[P]], %[[Q]]
// ADJOINT-NEXT: return %[[R]]
func.func @tn_jvp(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>, %t: tensor<3x2xf64>, %u: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @tn(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// TN:      result 0: tensor<2x2xf64> {{\[\[5.0, 8.0\], \[14.0, 14.0\]\]}}
// TN-NEXT: result 1: tensor<3x2xf64> {{\[\[-1.0, 4.0\], \[2.0, 6.0\], \[6.0, -3.0\]\]}}
// TN-NEXT: result 2: tensor<3x2xf64> {{\[\[13.0, -2.0\], \[17.0, -1.0\], \[21.0, 0.0\]\]}}
// TN-NEXT: result 3: tensor<2x2xf64> {{\[\[6.0, 5.0\], \[11.0, 16.0\]\]}}
func.func @tn_values() -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) {
  %a = cell.constant dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf64>
  %b = cell.constant dense<[[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]]> : tensor<3x2xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -1.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]> : tensor<3x2xf64>
  %u = cell.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf64>
  %0:3 = cell.vjp @tn(%a, %b) cotangents(%w) of [0] wrt [0, 1] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>)
  %1:2 = cell.jvp @tn(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<2x2xf64>
}

// FORWARD-LABEL: @tt(
// FORWARD: cell.matmul %{{.*}}, %{{.*}} {transpose_a = true, transpose_b = true} : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
func.func private @tt(%a: tensor<3x2xf64>, %b: tensor<2x3xf64>) -> tensor<2x2xf64> {
  %0 = cell.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<3x2xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// ADJOINT-LABEL: func.func @tt_vjp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[DA:.*]] = cell.matmul %[[B]], %[[CT]] {transpose_a = true, transpose_b = true}
// ADJOINT-NEXT: %[[DB:.*]] = cell.matmul %[[CT]], %[[A]] {transpose_a = true, transpose_b = true}
// ADJOINT-NEXT: return %[[DA]], %[[DB]]
func.func @tt_vjp(%a: tensor<3x2xf64>, %b: tensor<2x3xf64>, %ct: tensor<2x2xf64>) -> (tensor<3x2xf64>, tensor<2x3xf64>) {
  %0:3 = cell.vjp @tt(%a, %b) cotangents(%ct) of [0] wrt [0, 1] : (tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x3xf64>)
  return %0#1, %0#2 : tensor<3x2xf64>, tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @tt_jvp(
// ADJOINT-SAME: %[[A:[a-z0-9]+]]: {{[^,]*}}, %[[B:[a-z0-9]+]]: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}}, %[[U:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[P:.*]] = cell.matmul %[[T]], %[[B]] {transpose_a = true, transpose_b = true} :
// ADJOINT-NEXT: %[[Q:.*]] = cell.matmul %[[A]], %[[U]] {transpose_a = true, transpose_b = true} :
// ADJOINT-NEXT: %[[R:.*]] = cell.add %[[P]], %[[Q]]
// ADJOINT-NEXT: return %[[R]]
func.func @tt_jvp(%a: tensor<3x2xf64>, %b: tensor<2x3xf64>, %t: tensor<3x2xf64>, %u: tensor<2x3xf64>) -> tensor<2x2xf64> {
  %0:2 = cell.jvp @tt(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<3x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}

// TT:      result 0: tensor<2x2xf64> {{\[\[5.0, 8.0\], \[14.0, 14.0\]\]}}
// TT-NEXT: result 1: tensor<3x2xf64> {{\[\[-1.0, 4.0\], \[2.0, 6.0\], \[6.0, -3.0\]\]}}
// TT-NEXT: result 2: tensor<2x3xf64> {{\[\[13.0, 17.0, 21.0\], \[-2.0, -1.0, 0.0\]\]}}
// TT-NEXT: result 3: tensor<2x2xf64> {{\[\[6.0, 5.0\], \[11.0, 16.0\]\]}}
func.func @tt_values() -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>) {
  %a = cell.constant dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf64>
  %b = cell.constant dense<[[1.0, 2.0, 0.0], [-1.0, 0.0, 3.0]]> : tensor<2x3xf64>
  %w = cell.constant dense<[[1.0, 2.0], [3.0, -1.0]]> : tensor<2x2xf64>
  %t = cell.constant dense<[[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]> : tensor<3x2xf64>
  %u = cell.constant dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]> : tensor<2x3xf64>
  %0:3 = cell.vjp @tt(%a, %b) cotangents(%w) of [0] wrt [0, 1] : (tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @tt(%a, %b) tangents(%t, %u) wrt [0, 1] of [0] : (tensor<3x2xf64>, tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2xf64>, tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x2xf64>
}

// Second order: h(X) = sum of X X X at X = [[1.0, 2.0], [3.0, 4.0]], its gradient, and the Hessian times [[1.0, -1.0], [2.0, 0.0]],
// by vjp of vjp (the Hessian is symmetric), jvp of vjp and vjp of jvp.
func.func private @h(%x: tensor<2x2xf64>) -> tensor<f64> {
  %0 = cell.matmul %x, %x : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = cell.matmul %0, %x : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %2 = cell.reduce_sum %1 over [0, 1] : tensor<2x2xf64> -> tensor<f64>
  return %2 : tensor<f64>
}
func.func private @gradient(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @h(%x) cotangents(%one) of [0] wrt [0] : (tensor<2x2xf64>, tensor<f64>) -> (tensor<f64>, tensor<2x2xf64>)
  return %0#1 : tensor<2x2xf64>
}
func.func private @along(%x: tensor<2x2xf64>, %v: tensor<2x2xf64>) -> tensor<f64> {
  %0:2 = cell.jvp @h(%x) tangents(%v) wrt [0] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
// SECOND:      result 0: tensor<2x2xf64> {{\[\[51.0, 87.0\], \[67.0, 111.0\]\]}}
// SECOND-NEXT: result 1: tensor<2x2xf64> {{\[\[25.0, 59.0\], \[-5.0, 17.0\]\]}}
// SECOND-NEXT: result 2: tensor<2x2xf64> {{\[\[25.0, 59.0\], \[-5.0, 17.0\]\]}}
// SECOND-NEXT: result 3: tensor<2x2xf64> {{\[\[25.0, 59.0\], \[-5.0, 17.0\]\]}}
func.func @second() -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %x = cell.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %v = cell.constant dense<[[1.0, -1.0], [2.0, 0.0]]> : tensor<2x2xf64>
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:2 = cell.vjp @gradient(%x) cotangents(%v) of [0] wrt [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  %1:2 = cell.jvp @gradient(%x) tangents(%v) wrt [0] of [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  %2:2 = cell.vjp @along(%x, %v) cotangents(%one) of [0] wrt [0] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<f64>) -> (tensor<f64>, tensor<2x2xf64>)
  return %0#0, %0#1, %1#1, %2#1 : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}

// A batch of two products of a row and a column.
func.func private @rows(%a: tensor<2x1x2xf64>, %b: tensor<2x2x1xf64>) -> tensor<2x1x1xf64> {
  %0 = cell.matmul %a, %b : (tensor<2x1x2xf64>, tensor<2x2x1xf64>) -> tensor<2x1x1xf64>
  return %0 : tensor<2x1x1xf64>
}
// BATCH:      result 0: tensor<2x1x1xf64> {{\[\[\[5.0\]\], \[\[17.0\]\]\]}}
// BATCH-NEXT: result 1: tensor<2x1x2xf64> {{\[\[\[10.0, 20.0\]\], \[\[-100.0, 500.0\]\]\]}}
// BATCH-NEXT: result 2: tensor<2x2x1xf64> {{\[\[\[10.0\], \[20.0\]\], \[\[300.0\], \[400.0\]\]\]}}
func.func @batched() -> (tensor<2x1x1xf64>, tensor<2x1x2xf64>, tensor<2x2x1xf64>) {
  %a = cell.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf64>
  %b = cell.constant dense<[[[1.0], [2.0]], [[-1.0], [5.0]]]> : tensor<2x2x1xf64>
  %w = cell.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf64>
  %0:3 = cell.vjp @rows(%a, %b) cotangents(%w) of [0] wrt [0, 1] : (tensor<2x1x2xf64>, tensor<2x2x1xf64>, tensor<2x1x1xf64>) -> (tensor<2x1x1xf64>, tensor<2x1x2xf64>, tensor<2x2x1xf64>)
  return %0#0, %0#1, %0#2 : tensor<2x1x1xf64>, tensor<2x1x2xf64>, tensor<2x2x1xf64>
}
