// How lanes are laid into machine vectors. Included by kernel.cpp.
//
// A row of weights times a lane's inputs is summed in two chains of fused multiply-adds, one over the even and one over
// the odd positions of each operand (bias first, into the even chain; then the inputs; then the recurrence); the row's
// sum is even + odd. Both kinds of tile do exactly that for each lane, so a lane's result does not depend on its tile.
//
// Plain:       8 lanes, a vector for each chain of each row. For any machine.
// Interleaved: 8 or 16 lanes with AVX-512. While multiplying, element 2l of a vector is lane l's even chain and 2l + 1
//              its odd one, so that two neighbouring weights are one 8-byte broadcast, used for 8 lanes or twice for 16.
//              Afterwards a vector holds 16 lanes of one row, or 8 lanes of two rows (TOGETHER).
//
// A tile has: WIDTH, its lanes; CELLS and ROWS, how many LSTM cells and dense rows to sum at once (enough to hide the
// latency of a multiply-add, few enough to stay in the registers); `get` and `put` for TOGETHER rows `stride` floats
// apart (0: there is only one); `pack` for rows in the order in which `Sums::multiply` reads them.

// Addresses of up to 16 rows that lie `stride` floats apart. Products with 1, 2 and 4 come free in an x86 address;
// hiding the multiples from the compiler makes it use that instead of keeping (and spilling) one address for each row.
struct Rows {
    const char* from[2];
    i64 s1, s3, s5, s7;
    INLINE_MEMBER Rows(const float* w, i64 stride)
        : from{(const char*)w, (const char*)(w + 8 * stride)}, s1(4 * stride), s3(12 * stride), s5(20 * stride),
          s7(28 * stride) {
        asm("" : "+r"(from[1]), "+r"(s1), "+r"(s3), "+r"(s5), "+r"(s7));
    }
    INLINE_MEMBER const float* at(int m) const {
        const i64 offset[8] = {0, s1, 2 * s1, s3, 4 * s1, s5, 2 * s3, s7};
        return (const float*)(from[m / 8] + offset[m % 8]);
    }
    INLINE_MEMBER void move(i64 floats) { from[0] += 4 * floats, from[1] += 4 * floats; }
};

struct Plain {
    typedef v8 Vector;
    static constexpr int WIDTH = 8, TOGETHER = 1, CELLS = 1, ROWS = 4;
    i64 lanes, n;  // distance of rows in memory, lanes in use

    INLINE_MEMBER v8 get(const float* p, i64) const { return load_some(p, n); }
    INLINE_MEMBER void put(float* p, i64, v8 v) const { store_some(p, n, v); }
    INLINE v8 scalars(const float* p, i64) { return all<v8>(*p); }
    v8 mask(const uint8_t* m) const { return lane_mask<v8>(m, n); }
    void pack(i64 rows, const float* x, float* packed) const {
        for (i64 k = 0; k < rows; k++) store(packed + k * 8, load_some(x + k * lanes, n));
    }

    template <int M> struct Sums {
        v8 even[M], odd[M];
        INLINE_MEMBER void start(const float* bias) {
            for (int m = 0; m < M; m++) even[m] = all<v8>(bias[m]), odd[m] = all<v8>(0.0f);
        }
        INLINE_MEMBER void multiply(const float* w, i64 stride, i64 n, const float* x) {
            Rows rows(w, stride);
            for (; n >= 2; n -= 2, rows.move(2), x += 16) {
                const v8 x0 = load<v8>(x), x1 = load<v8>(x + 8);
#pragma GCC unroll 16
                for (int m = 0; m < M; m++) {
                    even[m] = fma(all<v8>(rows.at(m)[0]), x0, even[m]);
                    odd[m] = fma(all<v8>(rows.at(m)[1]), x1, odd[m]);
                }
            }
            if (n) {
                const v8 x0 = load<v8>(x);
#pragma GCC unroll 16
                for (int m = 0; m < M; m++) even[m] = fma(all<v8>(*rows.at(m)), x0, even[m]);
            }
        }
        INLINE_MEMBER v8 get(int m, int) const { return even[m] + odd[m]; }
    };
};

#if defined(__AVX512F__) && defined(__AVX512VL__)
INLINE v16 halves(v8 low, v8 high) {
    return (v16)_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)low), (__m256d)high, 1);
}
// elements of a and b: the even ones, the odd ones, alternating from the first or from the second halves
INLINE v16 evens(v16 a, v16 b) {
    const __m512i index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return (v16)_mm512_permutex2var_ps((__m512)a, index, (__m512)b);
}
INLINE v16 odds(v16 a, v16 b) {
    const __m512i index = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return (v16)_mm512_permutex2var_ps((__m512)a, index, (__m512)b);
}
INLINE v16 zip_first(v16 a, v16 b) {
    const __m512i index = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return (v16)_mm512_permutex2var_ps((__m512)a, index, (__m512)b);
}
INLINE v16 zip_second(v16 a, v16 b) {
    const __m512i index = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return (v16)_mm512_permutex2var_ps((__m512)a, index, (__m512)b);
}

template <int H>  // H times 8 lanes
struct Interleaved {
    typedef v16 Vector;
    static constexpr int WIDTH = 8 * H, TOGETHER = 2 / H, CELLS = H == 2 ? 3 : 4, ROWS = 16 / H;
    i64 lanes, n;  // distance of rows in memory, lanes in use (all 16 if H = 2)

    INLINE_MEMBER v16 get(const float* p, i64 stride) const {
        if (H == 2 || (stride == 8 && n == 8)) return load<v16>(p);
        return halves(load_some(p, n), load_some(p + stride, n));
    }
    INLINE_MEMBER void put(float* p, i64 stride, v16 v) const {
        if (H == 2 || (stride == 8 && n == 8)) return store(p, v);
        store_some(p, n, (v8)_mm512_castps512_ps256((__m512)v));
        if (stride) store_some(p + stride, n, (v8)_mm512_extractf64x4_pd((__m512d)v, 1));
    }
    INLINE v16 scalars(const float* p, i64 apart) {  // one for each of the TOGETHER rows
        if (H == 2) return all<v16>(*p);
        return (v16)_mm512_mask_broadcastss_ps(_mm512_set1_ps(p[0]), 0xFF00, _mm_load_ss(p + apart));
    }
    v16 mask(const uint8_t* m) const {
        if (H == 2) return lane_mask<v16>(m);
        const v8 half = lane_mask<v8>(m, n);
        return halves(half, half);
    }
    void pack(i64 rows, const float* x, float* packed) const {
        for (i64 k = 0; k < rows; k += 2, x += 2 * lanes) {
            const bool both = k + 1 < rows;
            if (H == 2) {
                const v16 a = load<v16>(x), b = both ? load<v16>(x + lanes) : all<v16>(0.0f);
                store(packed + k * 16, zip_first(a, b));
                store(packed + k * 16 + 16, zip_second(a, b));
            } else {
                const v8 a = load_some(x, n), b = both ? load_some(x + lanes, n) : all<v8>(0.0f);
                store(packed + k * 8, zip_first(halves(a, a), halves(b, b)));
            }
        }
    }

    template <int M> struct Sums {
        v16 sum[M][H];
        INLINE_MEMBER void start(const float* bias) {
#pragma GCC unroll 16
            for (int m = 0; m < M; m++)
                for (int h = 0; h < H; h++)
                    sum[m][h] = (v16)_mm512_maskz_broadcastss_ps(0x5555, _mm_load_ss(bias + m));
        }
        INLINE_MEMBER void multiply(const float* w, i64 stride, i64 n, const float* x) {
            Rows rows(w, stride);
            v16 in[H];
            for (; n >= 2; n -= 2, rows.move(2), x += 16 * H) {
                for (int h = 0; h < H; h++) in[h] = load<v16>(x + 16 * h);
#pragma GCC unroll 16
                for (int m = 0; m < M; m++) {
                    double pair;
                    memcpy(&pair, rows.at(m), 8);
                    for (int h = 0; h < H; h++) sum[m][h] = fma((v16)_mm512_set1_pd(pair), in[h], sum[m][h]);
                }
            }
            if (n) {  // a last even position: the odd chains are complete
                for (int h = 0; h < H; h++) in[h] = load<v16>(x + 16 * h);
#pragma GCC unroll 16
                for (int m = 0; m < M; m++)
                    for (int h = 0; h < H; h++)
                        sum[m][h] = (v16)_mm512_mask3_fmadd_ps((__m512)all<v16>(*rows.at(m)), (__m512)in[h],
                                                               (__m512)sum[m][h], 0x5555);
            }
        }
        // row a; if TOGETHER = 2, rows a and b
        INLINE_MEMBER v16 get(int a, int b) const {
            const v16 &first = sum[a][0], &second = H == 2 ? sum[a][H - 1] : sum[b][0];
            return evens(first, second) + odds(first, second);
        }
    };
};
typedef Interleaved<2> Wide;
typedef Interleaved<1> Narrow;
#else
typedef Plain Wide;
typedef Plain Narrow;
#endif
