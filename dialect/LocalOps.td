//===- LocalOps.td - the ops that compute on one rank --------------------===//

#ifndef CELLGRAD_LOCALOPS_TD
#define CELLGRAD_LOCALOPS_TD

include "dialect/BitwiseOps.td"
include "dialect/CheckOps.td"
include "dialect/ContractionOps.td"
include "dialect/ElementwiseOps.td"
include "dialect/ExponentialOps.td"
include "dialect/GraphOps.td"
include "dialect/IndexOps.td"
include "dialect/InverseTrigonometricOps.td"
include "dialect/LinalgOps.td"
include "dialect/PredicateOps.td"
include "dialect/RandomOps.td"
include "dialect/ReductionOps.td"
include "dialect/ReverseOps.td"
include "dialect/RoundingOps.td"
include "dialect/RuleOps.td"
include "dialect/ScanOps.td"
include "dialect/ShapeOps.td"
include "dialect/SpecialOps.td"
include "dialect/StashOps.td"
include "dialect/WindowOps.td"

#endif
