//===- Mutants.h - mistakes that are switched on when the code runs -------===//
//
// Included by scratch copies of the lowering that source.py has planted
// mistakes in, never by the product.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TOOLS_MUTATE_MUTANTS_H
#define CELLGRAD_TOOLS_MUTATE_MUTANTS_H

#include <type_traits>
#include <utility>

extern "C" {
/// The mutant that is switched on, and which of them were executed.
extern int cellMutant;
extern unsigned char cellMutantsSeen[1 << 16];
}

namespace mutants {

inline bool on(int n) {
  cellMutantsSeen[n] = 1;
  return cellMutant == n;
}
inline bool flip(int n, bool value) { return on(n) != value; }
template <int other> int number(int n, int value) {
  return on(n) ? other : value;
}

/// `a < b` becomes `a < lt(n, m) < b`: of the same precedence, so that nobody
/// needs to know where the operands begin and end.
struct Relation {
  int negated, edge;
};
template <typename T> struct Left {
  T &&value;
  int negated, edge;
};
#define CELL_RELATION(name, op, other)                                         \
  struct name##Proxy : Relation {};                                            \
  inline name##Proxy name(int negated, int edge = -1) {                        \
    return {{negated, edge}};                                                  \
  }                                                                            \
  template <typename T> struct name##Left : Left<T> {};                        \
  template <typename T> name##Left<T> operator op(T &&value, name##Proxy p) {  \
    return {{std::forward<T>(value), p.negated, p.edge}};                      \
  }                                                                            \
  template <typename T, typename U>                                            \
  bool operator op(name##Left<T> left, U &&right) {                            \
    if (on(left.negated))                                                      \
      return !(left.value op right);                                           \
    if (left.edge >= 0 && on(left.edge))                                       \
      return left.value other right;                                           \
    return left.value op right;                                                \
  }
CELL_RELATION(lt, <, <=)
CELL_RELATION(le, <=, <)
CELL_RELATION(gt, >, >=)
CELL_RELATION(ge, >=, >)
CELL_RELATION(eq, ==, ==)
CELL_RELATION(ne, !=, !=)
#undef CELL_RELATION

/// The same for what is computed; of other things than numbers nothing changes.
#define CELL_SUM(name, op, other)                                              \
  struct name##Proxy {                                                         \
    int n;                                                                     \
  };                                                                           \
  inline name##Proxy name(int n) { return {n}; }                               \
  template <typename T> struct name##Left {                                    \
    T &&value;                                                                 \
    int n;                                                                     \
  };                                                                           \
  template <typename T> name##Left<T> operator op(T &&value, name##Proxy p) {  \
    return {std::forward<T>(value), p.n};                                      \
  }                                                                            \
  template <typename T, typename U>                                            \
  auto operator op(name##Left<T> left, U &&right) {                            \
    auto &&a = left.value;                                                     \
    auto &&b = right;                                                          \
    if constexpr (std::is_arithmetic_v<std::decay_t<T>> &&                     \
                  std::is_arithmetic_v<std::decay_t<U>>) {                     \
      using Result = decltype(a op b);                                         \
      return on(left.n) ? Result(other) : Result(a op b);                      \
    } else {                                                                   \
      return a op b;                                                           \
    }                                                                          \
  }
CELL_SUM(plus, +, a - b)
CELL_SUM(minus, -, a + b)
CELL_SUM(times, *, a + b)
CELL_SUM(over, /, a / b + 1)
CELL_SUM(modulo, %, 0)
#undef CELL_SUM

} // namespace mutants

#endif
