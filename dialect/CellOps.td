//===- CellOps.td - all ops of the dialect --------------------------------===//

#ifndef CELLGRAD_CELLOPS_TD
#define CELLGRAD_CELLOPS_TD

include "dialect/CollectiveOps.td"
include "dialect/LocalOps.td"

#endif
