// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of linear algebra on batches of matrices, real and complex: TriangularSolve, Inverse, Slogdet,
// Logdet, LinalgCholesky, LinalgQr.
#include <complex>
#include <functional>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using Complex = std::complex<double>;

double conjugate(double x) { return x; }
Complex conjugate(Complex x) { return std::conj(x); }

// A row-major matrix of double or Complex.
template <class T>
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> values;

  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(static_cast<size_t>(r * c)) {}
  T& at(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
  const T& at(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * columns + c)]; }
};

bool is_complex(DataType type) { return type == DataType::Complex64 || type == DataType::Complex128; }
bool is_matrix_type(DataType type) { return is_complex(type) || type == DataType::Float || type == DataType::Double; }

template <class T>
T element(const Tensor& x, int64_t i) {
  if constexpr (std::is_same_v<T, Complex>)
    return x.type == DataType::Complex64 ? Complex(x.as<std::complex<float>>()[i]) : x.as<Complex>()[i];
  else
    return x.type == DataType::Float ? static_cast<double>(x.as<float>()[i]) : x.as<double>()[i];
}

template <class T>
void set_element(Tensor& x, int64_t i, T value) {
  if constexpr (std::is_same_v<T, Complex>) {
    if (x.type == DataType::Complex64)
      x.as<std::complex<float>>()[i] = std::complex<float>(value);
    else
      x.as<Complex>()[i] = value;
  } else if (x.type == DataType::Float) {
    x.as<float>()[i] = static_cast<float>(value);
  } else {
    x.as<double>()[i] = value;
  }
}

template <class T>
Matrix<T> load(const Tensor& x, int64_t first, int64_t rows, int64_t columns) {
  Matrix<T> made(rows, columns);
  for (int64_t i = 0; i < rows * columns; ++i) made.values[static_cast<size_t>(i)] = element<T>(x, first + i);
  return made;
}

template <class T>
void store(const Matrix<T>& from, Tensor& x, int64_t first) {
  for (size_t i = 0; i < from.values.size(); ++i) set_element<T>(x, first + static_cast<int64_t>(i), from.values[i]);
}

// Runs body.operator()<T>() for the type that a tensor is computed in.
template <class Body>
auto as_computed(DataType type, const Body& body) {
  return is_complex(type) ? body.template operator()<Complex>() : body.template operator()<double>();
}

Status check_matrices(const std::string& name, const graph::TensorInfo& x, bool square) {
  if (!is_matrix_type(x.type))
    return refuse(
        formatted("{} of {} is not supported; FLOAT, DOUBLE and complex types are", name, graph::name_of(x.type)));
  if (x.shape.size() < 2 || (square && x.shape.end()[-1] != x.shape.end()[-2]))
    return refuse(
        formatted("{} has shape {}; it must hold {}matrices", name, graph::to_text(x.shape), square ? "square " : ""));
  return {};
}

int64_t batches_of(const Shape& shape) { return product(shape, 0, shape.size() - 2); }

// Which matrix of a tensor belongs to each one of the result: leading dimensions broadcast.
std::vector<int64_t> places(const Shape& from, const Shape& batch) {
  const int64_t count = product(batch, 0, batch.size());
  std::vector<int64_t> made;
  for (int64_t b = 0; b < count; ++b) {
    int64_t rest = b, at = 0, step = 1;
    const size_t own = from.size() - 2;
    for (size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
      const size_t missing = batch.size() - own;
      if (d < missing) continue;
      const int64_t size = from[d - missing];
      if (size > 1) at += rest % batch[d] * step;
      step *= size;
    }
    made.push_back(at);
  }
  return made;
}

// op(A) X = B by substitution, where op(A) is triangular; X comes in B.
template <class T>
void substitute(const Matrix<T>& a, bool upper, bool turned, bool unit, Matrix<T>& b) {
  const int64_t n = a.rows;
  const bool from_below = upper != turned;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = from_below ? n - 1 - step : step;
    for (int64_t c = 0; c < b.columns; ++c) {
      T sum = b.at(i, c);
      for (int64_t k = from_below ? i + 1 : 0; k < (from_below ? n : i); ++k)
        sum -= (turned ? a.at(k, i) : a.at(i, k)) * b.at(k, c);
      b.at(i, c) = unit ? sum : sum / a.at(i, i);
    }
  }
}

MadeKernel make_triangular_solve(const KernelRequest& request) {
  const WholeCall call(request);
  const int b = call.even_empty("b"), a = call.even_empty("a");
  const auto &right = call.info(b), &left = call.info(a), &x = call.result(0), &m = call.result(1);
  TRY(check_matrices("self", right, false));
  TRY(check_matrices("A", left, true));
  const int64_t n = left.shape.back(), columns = right.shape.back();
  for (const DataType type : {left.type, x.type, m.type})
    if (type != right.type) return refuse("self, A, xOut and mOut must have one type");
  if (right.shape.end()[-2] != n)
    return refuse(formatted("self {} and A {} do not fit", graph::to_text(right.shape), graph::to_text(left.shape)));
  const auto batch = graph::broadcast(Shape(right.shape.begin(), right.shape.end() - 2),
                                      Shape(left.shape.begin(), left.shape.end() - 2));
  if (!batch.ok()) return refuse(batch.status().message);
  Shape wanted_x = *batch, wanted_m = *batch;
  wanted_x.insert(wanted_x.end(), {n, columns});
  wanted_m.insert(wanted_m.end(), {n, n});
  if (x.shape != wanted_x || m.shape != wanted_m)
    return refuse(formatted("xOut has shape {} and mOut {}; they must be {} and {}", graph::to_text(x.shape),
                            graph::to_text(m.shape), graph::to_text(wanted_x), graph::to_text(wanted_m)));
  const bool upper = call.flag("upper"), turned = call.flag("turned"), unit = call.flag("unit");
  if (unit && right.type != DataType::Float) return refuse("unitriangular goes with FLOAT");
  const auto from_b = places(right.shape, *batch), from_a = places(left.shape, *batch);
  return as_computed(right.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      parallel_for(static_cast<int64_t>(from_a.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          auto matrix = load<T>(in[static_cast<size_t>(a)], from_a[static_cast<size_t>(i)] * n * n, n, n);
          auto made = load<T>(in[static_cast<size_t>(b)], from_b[static_cast<size_t>(i)] * n * columns, n, columns);
          for (int64_t r = 0; r < n; ++r)
            for (int64_t c = 0; c < n; ++c)
              if (upper ? c < r : c > r) matrix.at(r, c) = T(0);
          substitute(matrix, upper, turned, unit, made);
          store(made, out[0], i * n * columns);
          store(matrix, out[1], i * n * n);
        }
      });
      return {};
    });
  });
}

// Gauss with the largest of each column; `more` goes along. The determinant is a sign and a logarithm; a singular
// matrix has sign 0.
template <class T>
struct Determinant {
  T sign = T(1);
  double logarithm = 0;
};
template <class T>
Determinant<T> eliminate(Matrix<T>& a, Matrix<T>* more) {
  Determinant<T> made;
  const int64_t n = a.rows;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t r = k + 1; r < n; ++r)
      if (std::abs(a.at(r, k)) > std::abs(a.at(best, k))) best = r;
    if (a.at(best, k) == T(0)) return {T(0), -INFINITY};
    for (int64_t c = 0; c < n && best != k; ++c) std::swap(a.at(k, c), a.at(best, c));
    for (int64_t c = 0; more && c < more->columns && best != k; ++c) std::swap(more->at(k, c), more->at(best, c));
    if (best != k) made.sign = -made.sign;
    const double size = std::abs(a.at(k, k));
    made.sign *= a.at(k, k) / size;
    made.logarithm += std::log(size);
    for (int64_t r = k + 1; r < n; ++r) {
      const T factor = a.at(r, k) / a.at(k, k);
      for (int64_t c = k; c < n; ++c) a.at(r, c) -= factor * a.at(k, c);
      for (int64_t c = 0; more && c < more->columns; ++c) more->at(r, c) -= factor * more->at(k, c);
    }
  }
  return made;
}

// A kernel that makes of each n by n matrix what body(index, matrix, outputs) does with it.
template <class Body>
MadeKernel of_each(const KernelRequest& request, bool square, Body body) {
  const WholeCall call(request);
  const int x = call.even_empty("x");
  const auto& info = call.info(x);
  TRY(check_matrices("self", info, square));
  const int64_t rows = info.shape.end()[-2], columns = info.shape.back(), count = batches_of(info.shape);
  return as_computed(info.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      for (int64_t i = 0; i < count; ++i) {
        auto matrix = load<T>(in[static_cast<size_t>(x)], i * rows * columns, rows, columns);
        TRY(body.template operator()<T>(i, matrix, out));
      }
      return {};
    });
  });
}

Status same_form(const WholeCall& call, int output) {
  const auto &x = call.info(call.even_empty("x")), &y = call.result(output);
  if (y.type == x.type && y.shape == x.shape) return {};
  return refuse(formatted("the result is {} {}; it must be {} {}", graph::name_of(y.type), graph::to_text(y.shape),
                          graph::name_of(x.type), graph::to_text(x.shape)));
}

MadeKernel make_inverse(const KernelRequest& request) {
  const WholeCall call(request);
  TRY(same_form(call, 0));
  return of_each(request, true, []<class T>(int64_t i, Matrix<T>& matrix, Outputs out) -> Status {
    const int64_t n = matrix.rows;
    Matrix<T> made(n, n);
    for (int64_t k = 0; k < n; ++k) made.at(k, k) = T(1);
    if (eliminate(matrix, &made).sign == T(0)) return failed("Inverse", formatted("matrix {} is singular", i));
    substitute(matrix, true, false, false, made);
    store(made, out[0], i * n * n);
    return {};
  });
}

// `sign` and `log`; with one output the logarithm of the determinant, NaN where that is below 0.
MadeKernel make_slogdet(const KernelRequest& request) {
  const WholeCall call(request);
  const auto& x = call.info(call.even_empty("x"));
  TRY(check_matrices("self", x, true));
  const bool one = request.outputs.size() == 1;
  for (size_t o = 0; o < request.outputs.size(); ++o) {
    const auto& y = call.result(static_cast<int>(o));
    const bool real_log = o == 1 && is_complex(x.type) && !is_complex(y.type);
    if ((y.type != x.type && !real_log) || graph::element_count(y.shape) != batches_of(x.shape))
      return refuse(formatted("a result is {} {}; there are {} matrices of {}", graph::name_of(y.type),
                              graph::to_text(y.shape), batches_of(x.shape), graph::name_of(x.type)));
  }
  return of_each(request, true, [one]<class T>(int64_t i, Matrix<T>& matrix, Outputs out) -> Status {
    const auto made = eliminate<T>(matrix, nullptr);
    if (one) {
      set_element<T>(out[0], i, made.sign == T(0) ? T(-INFINITY) : std::log(made.sign) + made.logarithm);
      return {};
    }
    set_element<T>(out[0], i, made.sign);
    if (is_complex(out[1].type))
      set_element<Complex>(out[1], i, made.logarithm);
    else
      set_element<double>(out[1], i, made.logarithm);
    return {};
  });
}

MadeKernel make_cholesky(const KernelRequest& request) {
  const WholeCall call(request);
  TRY(same_form(call, 0));
  const bool upper = call.flag("upper");
  return of_each(request, true, [upper]<class T>(int64_t i, Matrix<T>& a, Outputs out) -> Status {
    const int64_t n = a.rows;
    Matrix<T> l(n, n);
    for (int64_t j = 0; j < n; ++j) {
      // With `upper` only that triangle is read.
      const auto given = [&](int64_t r, int64_t c) { return upper ? conjugate(a.at(c, r)) : a.at(r, c); };
      double most = std::real(given(j, j));
      for (int64_t k = 0; k < j; ++k) most -= std::norm(l.at(j, k));
      if (!(most > 0)) return failed("LinalgCholesky", formatted("matrix {} is not positive definite", i));
      l.at(j, j) = std::sqrt(most);
      for (int64_t r = j + 1; r < n; ++r) {
        T sum = given(r, j);
        for (int64_t k = 0; k < j; ++k) sum -= l.at(r, k) * conjugate(l.at(j, k));
        l.at(r, j) = sum / l.at(j, j);
      }
    }
    if (upper) {
      Matrix<T> turned(n, n);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = 0; c < n; ++c) turned.at(r, c) = conjugate(l.at(c, r));
      l = turned;
    }
    store(l, out[0], i * n * n);
    return {};
  });
}

// Householder's reflections. Q has as many columns as its tensor, or none.
MadeKernel make_qr(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(call.even_empty("x")), &r_info = call.result(1);
  TRY(check_matrices("self", x, false));
  const auto& q_info = call.result(0);
  const int64_t m = x.shape.end()[-2], n = x.shape.back(), least = std::min(m, n), count = batches_of(x.shape);
  const int64_t mode = call.integer("mode");
  if (mode < 0 || mode > 2) return refuse(formatted("mode is {}; it must be 0 (reduced), 1 (complete) or 2 (r)", mode));
  const int64_t width = mode == 1 ? m : least;
  const bool has_q = mode != 2;
  if ((has_q && (q_info.type != x.type || graph::element_count(q_info.shape) != count * m * width)) ||
      r_info.type != x.type || graph::element_count(r_info.shape) != count * width * n)
    return refuse(formatted("Q has shape {} and R {}; they must hold matrices of [{},{}] and [{},{}]",
                            graph::to_text(q_info.shape), graph::to_text(r_info.shape), m, width, width, n));
  return of_each(request, false, [=]<class T>(int64_t i, Matrix<T>& a, Outputs out) -> Status {
    Matrix<T> q(m, m);
    for (int64_t k = 0; k < m; ++k) q.at(k, k) = T(1);
    for (int64_t k = 0; k < least; ++k) {
      double norm = 0;
      for (int64_t r = k; r < m; ++r) norm += std::norm(a.at(r, k));
      norm = std::sqrt(norm);
      if (norm == 0) continue;
      const double size = std::abs(a.at(k, k));
      const T phase = size == 0 ? T(1) : a.at(k, k) / size;
      std::vector<T> v(static_cast<size_t>(m));
      for (int64_t r = k; r < m; ++r) v[static_cast<size_t>(r)] = a.at(r, k);
      v[static_cast<size_t>(k)] += phase * norm;
      double length = 0;
      for (const T& each : v) length += std::norm(each);
      for (int64_t c = 0; c < n; ++c) {
        T sum = T(0);
        for (int64_t r = k; r < m; ++r) sum += conjugate(v[static_cast<size_t>(r)]) * a.at(r, c);
        for (int64_t r = k; r < m; ++r) a.at(r, c) -= v[static_cast<size_t>(r)] * sum * (2 / length);
      }
      for (int64_t r = 0; r < m; ++r) {
        T sum = T(0);
        for (int64_t c = k; c < m; ++c) sum += q.at(r, c) * v[static_cast<size_t>(c)];
        for (int64_t c = k; c < m; ++c) q.at(r, c) -= sum * (2 / length) * conjugate(v[static_cast<size_t>(c)]);
      }
    }
    Matrix<T> r_part(width, n), q_part(m, width);
    for (int64_t r = 0; r < width; ++r)
      for (int64_t c = r; c < n; ++c) r_part.at(r, c) = a.at(r, c);
    for (int64_t r = 0; r < m; ++r)
      for (int64_t c = 0; c < width; ++c) q_part.at(r, c) = q.at(r, c);
    if (has_q) store(q_part, out[0], i * m * width);
    store(r_part, out[1], i * width * n);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnCholesky", "reference", make_cholesky},
    {"AclnnInverse", "reference", make_inverse},
    {"AclnnQr", "reference", make_qr},
    {"AclnnSlogdet", "reference", make_slogdet},
    {"AclnnTriangularSolve", "reference", make_triangular_solve},
};

}  // namespace

std::span<const KernelRow> linear_rows() { return rows; }

}  // namespace belay::backend::cpu
