// This text is copied into the C++ header of every model, guarded so that
// those of several models can be included together.
#ifndef CELLGRAD_COMMON_HPP
#define CELLGRAD_COMMON_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace cg {
/// A call that failed: a CG_ERROR_ code and its words.
class Error : public std::runtime_error {
public:
  Error(std::int32_t status, const std::string &words)
      : std::runtime_error(words), code(status) {}
  std::int32_t status() const noexcept { return code; }

private:
  std::int32_t code;
};

/// The first extent of a tensor with a row for each sample of any batch.
inline constexpr std::int64_t batch = -1;

/// A tensor that lies elsewhere: dense and row-major elements of T, which is
/// const where a call only reads them. Its shape is part of its type.
template <class T, std::int64_t... Extents> class Tensor {
public:
  static constexpr std::size_t rank = sizeof...(Extents);
  static constexpr std::array<std::int64_t, rank> extents{{Extents...}};
  static constexpr bool has_batch = ((Extents == batch) || ...);
  /// Elements; where there is a batch, of one of its rows.
  static constexpr std::int64_t elements =
      (std::int64_t{1} * ... * (Extents == batch ? 1 : Extents));

  /// No tensor: a call with it is refused with CG_ERROR_NULL_ARGUMENT.
  constexpr Tensor() noexcept = default;
  /// At `data`, which has room for its elements.
  explicit constexpr Tensor(T *data, std::int64_t rows = 1) noexcept
      : first(data), count(has_batch ? rows : 1) {}
  /// An array of as many elements.
  template <std::size_t N> constexpr Tensor(T (&array)[N]) noexcept : first(array) {
    static_assert(!has_batch && N == static_cast<std::size_t>(elements),
                  "the array has another number of elements than the tensor");
  }
  template <std::size_t N>
  constexpr Tensor(std::array<std::remove_const_t<T>, N> &array) noexcept
      : first(array.data()) {
    static_assert(!has_batch && N == static_cast<std::size_t>(elements),
                  "the array has another number of elements than the tensor");
  }
  /// What may be written may be read.
  operator Tensor<const T, Extents...>() const noexcept {
    return Tensor<const T, Extents...>(first, count);
  }

  T *data() const noexcept { return first; }
  /// Samples, where there is a batch.
  std::int64_t rows() const noexcept { return count; }
  std::int64_t size() const noexcept { return elements * count; }
  T *begin() const noexcept { return first; }
  T *end() const noexcept { return first + size(); }
  /// By its place in memory.
  T &operator[](std::int64_t i) const noexcept { return first[i]; }
  /// By one index for each dimension.
  template <class... Indices> T &operator()(Indices... indices) const noexcept {
    static_assert(sizeof...(Indices) == rank, "one index for each dimension");
    std::int64_t place = 0;
    std::size_t dim = 0;
    ((place = (dim == 0 ? 0 : place * extents[dim]) +
              static_cast<std::int64_t>(indices),
      ++dim),
     ...);
    return first[place];
  }

private:
  T *first = nullptr;
  std::int64_t count = 1;
};

/// Memory for elements of T, aligned to 64 bytes.
template <class T> class Memory {
public:
  explicit Memory(std::size_t count)
      : block(static_cast<T *>(::operator new(
            std::max<std::size_t>(count, 1) * sizeof(T), std::align_val_t{64}))) {}
  T *get() const noexcept { return block.get(); }

private:
  struct Release {
    void operator()(T *pointer) const noexcept {
      ::operator delete(pointer, std::align_val_t{64});
    }
  };
  std::unique_ptr<T, Release> block;
};

/// A tensor with memory of its own, zero at first.
template <class T, std::int64_t... Extents> class Array {
public:
  using View = Tensor<T, Extents...>;
  explicit Array(std::int64_t rows = 1)
      : memory(checked(rows)), count(View::has_batch ? rows : 1) {
    std::fill(begin(), end(), T());
  }

  View view() const noexcept { return View(memory.get(), count); }
  operator View() const noexcept { return view(); }
  operator Tensor<const T, Extents...>() const noexcept { return view(); }
  T *data() const noexcept { return memory.get(); }
  std::int64_t rows() const noexcept { return count; }
  std::int64_t size() const noexcept { return view().size(); }
  T *begin() const noexcept { return view().begin(); }
  T *end() const noexcept { return view().end(); }
  T &operator[](std::int64_t i) const noexcept { return view()[i]; }
  template <class... Indices> T &operator()(Indices... indices) const noexcept {
    return view()(indices...);
  }

private:
  static std::size_t checked(std::int64_t rows) {
    if (!View::has_batch)
      return static_cast<std::size_t>(View::elements);
    if (rows < 0)
      throw Error(CG_ERROR_BATCH, "a tensor cannot have " +
                                      std::to_string(rows) + " rows");
    return static_cast<std::size_t>(View::elements * rows);
  }
  Memory<T> memory;
  std::int64_t count;
};
} // namespace cg
#endif // CELLGRAD_COMMON_HPP
