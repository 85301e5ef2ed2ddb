//===- Map.h - loops over lanes -------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_MAP_H
#define CELLGRAD_TEST_EMULATOR_MAP_H

#include "Execute.h"

namespace ptx {

/// Calls f(k) for each element of each lane in `lanes`, where a lane has `per`
/// elements. Steps are independent: a result may have the row of an operand,
/// but then element k of both is the same.
template <unsigned per = 1, class F> inline void forLanes(uint32_t lanes, F f) {
  if (lanes == kAllLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned k = 0; k < kLanes * per; ++k)
      f(k);
    return;
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    for (unsigned p = 0; p < per; ++p)
      f(static_cast<unsigned>(__builtin_ctz(rest)) * per + p);
}

/// Handlers that apply a function to one, two or three rows. `Op` has a member
/// apply(A, B, ...).
template <class Op, class D, class A, unsigned per = 1>
void map1(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  forLanes<per>(lanes, [=](unsigned k) { d[k] = Op::template apply<D>(a[k]); });
}

template <class Op, class D, class A, class B, unsigned per = 1>
void map2(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  const B *b = warp.row<B>(i.a[1]);
  forLanes<per>(lanes,
                [=](unsigned k) { d[k] = Op::template apply<D>(a[k], b[k]); });
}

template <class Op, class D, class A, class B, class C, unsigned per = 1>
void map3(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  const B *b = warp.row<B>(i.a[1]);
  const C *c = warp.row<C>(i.a[2]);
  forLanes<per>(lanes, [=](unsigned k) {
    d[k] = Op::template apply<D>(a[k], b[k], c[k]);
  });
}

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_MAP_H
