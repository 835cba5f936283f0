// Machine vectors of 8 and 16 lanes, and the squashing functions on them. Included by kernel.cpp.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

typedef int64_t i64;
typedef float v8 __attribute__((vector_size(32)));

// ---------------------------------------------------------------- vectors of one machine width
#if defined(__AVX2__) && defined(__FMA__)
INLINE v8 fma(v8 a, v8 b, v8 c) { return (v8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
INLINE v8 min(v8 a, v8 b) { return (v8)_mm256_min_ps((__m256)a, (__m256)b); }
INLINE v8 max(v8 a, v8 b) { return (v8)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE void splat(v8& v, float s) { v = (v8)_mm256_set1_ps(s); }
#else  // multiply, then add: the compiler may not fuse them, so this too is the same for every lane
INLINE v8 fma(v8 a, v8 b, v8 c) { return a * b + c; }
INLINE v8 min(v8 a, v8 b) { return a < b ? a : b; }
INLINE v8 max(v8 a, v8 b) { return a > b ? a : b; }
INLINE void splat(v8& v, float s) { v = (v8){s, s, s, s, s, s, s, s}; }
#endif
typedef int32_t i8x __attribute__((vector_size(32)));
INLINE v8 select(v8 m, v8 a, v8 b) { return (v8)(((i8x)m & (i8x)a) | (~(i8x)m & (i8x)b)); }
INLINE v8 scale(v8 v, v8 k) { return (v8)((i8x)v + ((i8x)k << 23)); }  // v * 2^(low bits of k)

#if defined(__AVX512F__)
typedef float v16 __attribute__((vector_size(64)));
typedef int32_t i16x __attribute__((vector_size(64)));
INLINE v16 fma(v16 a, v16 b, v16 c) { return (v16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
INLINE v16 min(v16 a, v16 b) { return (v16)_mm512_min_ps((__m512)a, (__m512)b); }
INLINE v16 max(v16 a, v16 b) { return (v16)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE void splat(v16& v, float s) { v = (v16)_mm512_set1_ps(s); }
INLINE v16 select(v16 m, v16 a, v16 b) { return (v16)(((i16x)m & (i16x)a) | (~(i16x)m & (i16x)b)); }
INLINE v16 scale(v16 v, v16 k) { return (v16)((i16x)v + ((i16x)k << 23)); }
#endif

// ---------------------------------------------------------------- a tile of lanes is one machine vector
// Two vectors to a tile were slower: the sums of eight rows no longer fit the registers with the squashing code.
template <class T> constexpr int LANES = sizeof(T) / sizeof(float);
template <class T> INLINE T all(float s) { T t; splat(t, s); return t; }
template <class T> struct Memory {  // unaligned
    typedef T Any __attribute__((aligned(4), may_alias));
    INLINE T load(const float* p) { return *(const Any*)p; }
    INLINE void store(float* p, T t) { *(Any*)p = t; }
};
template <class T> INLINE T load(const float* p) { return Memory<T>::load(p); }
template <class T> INLINE void store(float* p, T t) { Memory<T>::store(p, t); }

template <class T> INLINE T lane_mask(const uint8_t* mask) {
    int32_t lane_bits[LANES<T>];
    for (int l = 0; l < LANES<T>; l++) lane_bits[l] = mask[l] ? -1 : 0;
    T t;
    memcpy(&t, lane_bits, sizeof t);
    return t;
}

typedef v8 Narrow;
#if defined(__AVX512F__)
typedef v16 Wide;
#else
typedef v8 Wide;
#endif
constexpr int NARROW = LANES<Narrow>, WIDE = LANES<Wide>;
constexpr int ROWS = 8;  // rows of weights at a time: as many sums as hide the latency of a multiply-add

// ---------------------------------------------------------------- squashing functions
// tanh(x) = x P(x^2) / Q(x^2), minimax on |x| <= 8.7 (relative error 1.5e-8 before rounding; beyond, tanh is 1 in
// single precision); s(x) = (1 + tanh(x/2)) / 2. Numerator and denominator stay apart: the LSTM then needs two
// divisions a cell instead of five.
constexpr float P0 = 1.000000000e+00f, P1 = 1.340046376e-01f, P2 = 3.518740181e-03f, P3 = 2.099377161e-05f,
                P4 = 1.389755244e-08f, Q0 = 1.0f, Q1 = 4.673378468e-01f, Q2 = 2.596487850e-02f,
                Q3 = 3.323641722e-04f, Q4 = 7.996493991e-07f, LIMIT = 8.7f;

enum { LINEAR, TANH, SIGMOID, SOFTMAX };  // activations; a softmax needs all rows and comes after the layer

template <class T> struct Ratio { T above, below; };

// `h` is 1 for tanh and 1/2 for the half argument of the logistic; its powers are exact in binary.
template <class T> INLINE Ratio<T> tanh_ratio(T x, const float h) {
    const float g = h * h;
    x = max(min(x, all<T>(LIMIT / h)), all<T>(-LIMIT / h));
    T u = x * x;
    T p = all<T>(P4 * g * g * g * g * h), q = all<T>(Q4 * g * g * g * g);
    p = fma(p, u, all<T>(P3 * g * g * g * h));
    q = fma(q, u, all<T>(Q3 * g * g * g));
    p = fma(p, u, all<T>(P2 * g * g * h));
    q = fma(q, u, all<T>(Q2 * g * g));
    p = fma(p, u, all<T>(P1 * g * h));
    q = fma(q, u, all<T>(Q1 * g));
    p = fma(p, u, all<T>(P0 * h));
    q = fma(q, u, all<T>(Q0));
    return {p * x, q};
}
// twice the logistic: the halves are multiplied in where ratios are combined
template <class T> INLINE Ratio<T> logistic2_ratio(T x) {
    Ratio<T> t = tanh_ratio(x, 0.5f);
    return {t.above + t.below, t.below};
}
template <class T> INLINE T squash(T x, i64 activation) {
    if (activation == TANH) {
        Ratio<T> t = tanh_ratio(x, 1.0f);
        return t.above / t.below;
    }
    if (activation == SIGMOID) {
        Ratio<T> s = logistic2_ratio(x);
        T half = all<T>(0.5f) * (s.above / s.below);
        return max(min(half, all<T>(1.0f)), all<T>(0.0f));  // rounding may leave [0, 1] by one unit
    }
    return x;
}
// e^x for x <= 0 (softmax after subtracting the maximum): 2^k times a polynomial on |r| <= ln(2)/2
template <class T> INLINE T exponential(T x) {
    x = max(x, all<T>(-87.0f));
    const T magic = all<T>(12582912.0f);  // 1.5 * 2^23: adding it rounds to the nearest integer
    T k = fma(x, all<T>(1.44269504f), magic);
    T n = k - magic;
    T r = fma(n, all<T>(-0.693359375f), x);
    r = fma(n, all<T>(2.12194440e-4f), r);
    T p = all<T>(1.9875691500e-4f);
    p = fma(p, r, all<T>(1.3981999507e-3f));
    p = fma(p, r, all<T>(8.3334519073e-3f));
    p = fma(p, r, all<T>(4.1665795894e-2f));
    p = fma(p, r, all<T>(1.6666665459e-1f));
    p = fma(p, r, all<T>(5.0000001201e-1f));
    p = fma(p, r * r, r) + all<T>(1.0f);
    return scale(p, k);
}

