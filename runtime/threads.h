/*===- threads.h - how many threads to compute on
 * ---------------------------===*/

#ifndef CELLGRAD_RUNTIME_THREADS_H
#define CELLGRAD_RUNTIME_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most that a pool has. */
#define CG_MOST_THREADS 1024

/* CELLGRAD_NUM_THREADS, where that is set; else the processors that the calling
   thread may run on, but no more than the quota of its control groups is worth.
   0: CELLGRAD_NUM_THREADS is no number from 1 to CG_MOST_THREADS. */
int32_t cg_default_threads(void);

/* The processors that the calling thread may run on, at least 1. */
int32_t cell_rt_processors(void);

#ifdef __cplusplus
}
#endif

#endif
