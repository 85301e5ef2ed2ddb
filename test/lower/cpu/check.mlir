// A check is one truth value, and a branch that leaves with a status of its own before donated memory
// is written.
// RUN: cell-opt %s --cell-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: cell-opt %s --cell-to-llvm-pipeline | FileCheck %s

// CHECK: module attributes {cell.checks = ["first (model.py:7)", "second"]}

// LINALG-LABEL: func.func @step
// LINALG:         %[[YES:.*]] = arith.constant true
// LINALG:         %[[INIT:.*]] = linalg.fill ins(%[[YES]] : i1)
// LINALG:         %[[ALL:.*]] = linalg.reduce ins(%{{.*}} : tensor<40xi1>) outs(%[[INIT]] : tensor<i1>) dimensions = [0]
// LINALG:           arith.andi
// LINALG:         %[[OK:.*]] = tensor.extract %[[ALL]][] : tensor<i1>
// LINALG:         cell.check %[[OK]] "first" : i1
// LINALG:         %[[ONE:.*]] = tensor.extract %arg3[] : tensor<i1>
// LINALG:         cell.check %[[ONE]] "second" : i1

// CHECK-LABEL: llvm.func @step(%arg0: !llvm.ptr
// CHECK-NOT:     llvm.store {{.*}}, %arg0
// CHECK:         %[[FIRST:.*]] = llvm.mlir.constant(1000 : i32)
// CHECK-NEXT:    llvm.cond_br %{{.*}} weights([1048576, 1]), ^[[ON:.*]], ^[[OUT:bb[0-9]+]](%[[FIRST]] : i32)
// CHECK-NEXT:  ^[[ON]]:
// CHECK:         %[[NEXT:.*]] = llvm.mlir.constant(1001 : i32)
// CHECK-NEXT:    llvm.cond_br %{{.*}} weights([1048576, 1]), ^{{.*}}, ^[[OUT]](%[[NEXT]] : i32)
// CHECK:         llvm.return
// CHECK-NEXT:  ^[[OUT]](%[[STATUS:.*]]: i32):
// CHECK-NEXT:    llvm.return %[[STATUS]]
func.func @step(%x: tensor<40xf32> {cell.donate = 0 : i64}, %i: tensor<40xi32>, %n: tensor<40xi32>, %b: tensor<i1>) -> tensor<40xf32> {
  %y = cell.add %x, %x : tensor<40xf32>
  %ok = cell.less %i, %n : tensor<40xi32>
  cell.check %ok "first" : tensor<40xi1> loc("indices"("path/to/model.py":7:1))
  cell.check %b "second" : tensor<i1> loc(unknown)
  return %y : tensor<40xf32>
}

// What has no elements holds.
// LINALG-LABEL: func.func @nothing
// LINALG-NEXT:    return
func.func @nothing(%e: tensor<0xi1>) {
  cell.check %e "never" : tensor<0xi1>
  return
}
