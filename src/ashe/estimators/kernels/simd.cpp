// Machine vectors of 8 and 16 lanes, and the squashing functions on them. Included by kernel.cpp.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))

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
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
// the smaller magnitude with the sign of v, in one operation
INLINE v8 clamp(v8 v, v8 limit) { return (v8)_mm256_range_ps((__m256)v, (__m256)limit, 2); }
#else
INLINE v8 clamp(v8 v, v8 limit) { return max(min(v, limit), -limit); }
#endif
INLINE v8 scale(v8 v, v8 k) { return (v8)((i8x)v + ((i8x)k << 23)); }  // v * 2^(low bits of k)

#if defined(__AVX512F__)
typedef float v16 __attribute__((vector_size(64)));
typedef int32_t i16x __attribute__((vector_size(64)));
INLINE v16 fma(v16 a, v16 b, v16 c) { return (v16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
INLINE v16 min(v16 a, v16 b) { return (v16)_mm512_min_ps((__m512)a, (__m512)b); }
INLINE v16 max(v16 a, v16 b) { return (v16)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE void splat(v16& v, float s) { v = (v16)_mm512_set1_ps(s); }
INLINE v16 select(v16 m, v16 a, v16 b) { return (v16)(((i16x)m & (i16x)a) | (~(i16x)m & (i16x)b)); }
#if defined(__AVX512DQ__)
INLINE v16 clamp(v16 v, v16 limit) { return (v16)_mm512_range_ps((__m512)v, (__m512)limit, 2); }
#else
INLINE v16 clamp(v16 v, v16 limit) { return max(min(v, limit), -limit); }
#endif
INLINE v16 scale(v16 v, v16 k) { return (v16)((i16x)v + ((i16x)k << 23)); }
#endif

// ---------------------------------------------------------------- loads, stores and masks
template <class T> constexpr int LANES = sizeof(T) / sizeof(float);
template <class T> INLINE T all(float s) { T t; splat(t, s); return t; }
template <class T> struct Memory {  // unaligned
    typedef T Any __attribute__((aligned(4), may_alias));
    INLINE T load(const float* p) { return *(const Any*)p; }
    INLINE void store(float* p, T t) { *(Any*)p = t; }
};
template <class T> INLINE T load(const float* p) { return Memory<T>::load(p); }
template <class T> INLINE void store(float* p, T t) { Memory<T>::store(p, t); }

// the first n of 8 lanes, 0 < n <= 8; the others are zero and stay untouched in memory
#if defined(__AVX512VL__)
INLINE v8 load_some(const float* p, i64 n) { return (v8)_mm256_maskz_loadu_ps((__mmask8)((1u << n) - 1), p); }
INLINE void store_some(float* p, i64 n, v8 v) { _mm256_mask_storeu_ps(p, (__mmask8)((1u << n) - 1), (__m256)v); }
#else
INLINE v8 load_some(const float* p, i64 n) {
    if (n == 8) return load<v8>(p);
    v8 v = {};
    memcpy(&v, p, n * sizeof(float));
    return v;
}
INLINE void store_some(float* p, i64 n, v8 v) {
    if (n == 8) store(p, v);
    else memcpy(p, &v, n * sizeof(float));
}
#endif

template <class T> INLINE T lane_mask(const uint8_t* mask, i64 n = LANES<T>) {
    int32_t lane_bits[LANES<T>];
    for (int l = 0; l < LANES<T>; l++) lane_bits[l] = l < n && mask[l] ? -1 : 0;
    T t;
    memcpy(&t, lane_bits, sizeof t);
    return t;
}

// 8 rows of 8 -> 8 columns of 8
INLINE void transpose(v8 (&s)[8]) {
#if defined(__AVX__)
    __m256 a[8], b[8];
    for (int j = 0; j < 8; j += 2) {
        a[j] = _mm256_unpacklo_ps((__m256)s[j], (__m256)s[j + 1]);
        a[j + 1] = _mm256_unpackhi_ps((__m256)s[j], (__m256)s[j + 1]);
    }
    for (int j = 0; j < 8; j += 4)
        for (int half = 0; half < 2; half++) {
            b[j + 2 * half] = _mm256_shuffle_ps(a[j + half], a[j + half + 2], 0x44);
            b[j + 2 * half + 1] = _mm256_shuffle_ps(a[j + half], a[j + half + 2], 0xEE);
        }
    for (int j = 0; j < 4; j++) {
        s[j] = (v8)_mm256_permute2f128_ps(b[j], b[j + 4], 0x20);
        s[j + 4] = (v8)_mm256_permute2f128_ps(b[j], b[j + 4], 0x31);
    }
#else
    float from[8][8], to[8][8];
    memcpy(from, s, sizeof from);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) to[j][i] = from[i][j];
    memcpy(s, to, sizeof to);
#endif
}

// ---------------------------------------------------------------- squashing functions
// All come from 2^t = 2^k 2^r, k the nearest integer, with a minimax polynomial for 2^r on |r| <= 1/2 (relative error
// 1.1e-7): s(x) = 1 / (1 + e^-x), tanh(x) = (1 - e^-2x) / (1 + e^-2x). Numerators and denominators stay apart, so that
// the LSTM needs two divisions a cell instead of five; `LIMIT` keeps the product of three denominators finite.
constexpr float LOG2_E = 1.44269504f, LIMIT = 30.0f;
constexpr float E1 = 6.931469776e-01f, E2 = 2.402224208e-01f, E3 = 5.550733744e-02f, E4 = 9.671512688e-03f,
                E5 = 1.326472725e-03f;

enum { LINEAR, TANH, SIGMOID, SOFTMAX };  // activations; a softmax needs all rows and comes after the layer

// 2^t, -126 <= t <= 126
template <class T> INLINE T power2(T t) {
    const T magic = all<T>(12582912.0f);  // 1.5 * 2^23: adding it rounds to the nearest integer
    const T k = t + magic;
    const T r = t - (k - magic);
    T p = fma(all<T>(E5), r, all<T>(E4));
    p = fma(p, r, all<T>(E3));
    p = fma(p, r, all<T>(E2));
    p = fma(p, r, all<T>(E1));
    p = fma(p, r, all<T>(1.0f));
    return scale(p, k);
}
// e^(factor x), held within 2^-30 .. 2^30
template <class T> INLINE T bounded_exp(T x, const float factor) {
    return power2(clamp(x * all<T>(factor * LOG2_E), all<T>(LIMIT)));
}
template <class T> struct Ratio { T above, below; };
template <class T> INLINE Ratio<T> tanh_ratio(T x) {
    const T e = bounded_exp(x, -2.0f), one = all<T>(1.0f);
    return {one - e, one + e};
}
// the logistic is one over this
template <class T> INLINE T logistic_below(T x) { return all<T>(1.0f) + bounded_exp(x, -1.0f); }

template <class T> INLINE T squash(T x, i64 activation) {
    if (activation == TANH) {
        const Ratio<T> t = tanh_ratio(x);
        return t.above / t.below;
    }
    if (activation == SIGMOID) return all<T>(1.0f) / logistic_below(x);
    return x;
}
// e^x for x <= 0 (softmax after subtracting the maximum)
template <class T> INLINE T exponential(T x) { return power2(max(x * all<T>(LOG2_E), all<T>(-125.0f))); }
