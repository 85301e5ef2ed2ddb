//===- CellOps.td - all ops of the dialect ---------------------------------===//

#ifndef CELLGRAD_CELLOPS_TD
#define CELLGRAD_CELLOPS_TD

include "dialect/ContractionOps.td"
include "dialect/ElementwiseOps.td"
include "dialect/GraphOps.td"
include "dialect/PredicateOps.td"
include "dialect/ReductionOps.td"
include "dialect/ShapeOps.td"

#endif
