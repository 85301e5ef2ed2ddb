/*===- given.h - members of a context that its version has
 * ------------------===*/

#ifndef CELLGRAD_RUNTIME_GIVEN_H
#define CELLGRAD_RUNTIME_GIVEN_H

#include <stddef.h>

/* Whether the cg_context `context` of a caller has a value in `member`: in one
   that is older, and lacks it, that counts as zero. */
#define GIVEN(context, member)                                                 \
  ((context) &&                                                                \
   (context)->struct_size >=                                                   \
       offsetof(cg_context, member) + sizeof((context)->member) &&             \
   (context)->member)

#endif
