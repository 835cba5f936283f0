// Block LSTM with peepholes (Greff et al. 2017, "LSTM: A Search Space Odyssey", vanilla LSTM) and dense layers,
// one individual at a time, SIMD over tables ("lanes").
//
// Weights of one LSTM, in genome order (see lstm.py): W [cells][4][inputs], R [cells][4][size], bias [cells][4],
// peephole [cells][3], initial c [cells], initial y [cells]; gate order z, i, f, o. A dense layer: W [out][in],
// bias [out]. Lane arrays are [rows][lanes].
//
// A lane's result must not depend on how many lanes there are or where it stands, because matches are batched
// differently by different callers. So every lane goes through the same sequence of IEEE operations whatever the
// tile width: one fused multiply-add chain per row (bias, then inputs, then recurrence, in index order), explicit
// fma calls, and -ffp-contract=off so that the compiler adds none of its own.

#include "simd.cpp"

#define NAME2(name, suffix) name##_##suffix
#define NAME1(name, suffix) NAME2(name, suffix)
#define EXPORT(name) extern "C" __attribute__((visibility("default"))) void NAME1(name, ASHE_SUFFIX)

// ---------------------------------------------------------------- working memory, one block per thread and purpose
enum { OLD_Y, PACKED_X, LAYER_A, LAYER_B, TAIL_X, TAIL_C, TAIL_Y, ROW_X, ROW_STATE, ROW_OUT, ROW_LEGAL, PURPOSES };
static float* scratch(int purpose, i64 floats) {
    static thread_local struct Buffers {
        float* at[PURPOSES] = {};
        i64 room[PURPOSES] = {};
        ~Buffers() { for (float* p : at) free(p); }
    } buffers;
    if (buffers.room[purpose] < floats) {
        free(buffers.at[purpose]);
        i64 bytes = (floats * 4 + 127) / 64 * 64;
        buffers.at[purpose] = (float*)aligned_alloc(64, bytes);
        buffers.room[purpose] = bytes / 4;
        if (!buffers.at[purpose]) abort();
    }
    return buffers.at[purpose];
}
// rows of one tile side by side: rows a power of two apart would fight for the same cache sets
template <class T> INLINE void pack(i64 rows, i64 lanes, const float* x, float* packed) {
    for (i64 k = 0; k < rows; k++) store(packed + k * LANES<T>, load<T>(x + k * lanes));
}

// ---------------------------------------------------------------- M rows of weights times a tile of inputs
template <int M, class T> INLINE void multiply(T (&sum)[M], const float* w, i64 stride, i64 n, const float* x) {
    for (i64 k = 0; k < n; k++) {
        T in = load<T>(x + k * LANES<T>);
#pragma GCC unroll 8
        for (int m = 0; m < M; m++) sum[m] = fma(all<T>(w[m * stride + k]), in, sum[m]);
    }
}

struct Lstm {
    i64 inputs, size, output_tanh;
    const float *W, *R, *bias, *peephole;
};

// C cells that share a block: gate sums in registers from the first product to the new state.
// Not inlined: the compiler would lift the constants of the squashing functions out of the caller's loop and spill
// the sums to make room for them.
template <int C, class T>
static __attribute__((noinline)) void cells(const Lstm& p, i64 first, const float* x, const float* old_y, i64 lanes, float* c, float* y,
                  const T* mask) {
    T sum[4 * C];
    for (int r = 0; r < 4 * C; r++) sum[r] = all<T>(p.bias[4 * first + r]);
    multiply<4 * C, T>(sum, p.W + 4 * first * p.inputs, p.inputs, p.inputs, x);
    multiply<4 * C, T>(sum, p.R + 4 * first * p.size, p.size, p.size, old_y);
    for (int k = 0; k < C; k++) {
        const i64 cell = first + k;
        const float* peep = p.peephole + 3 * cell;
        const T c_old = load<T>(c + cell * lanes);
        // z = tanh(Wz x + Rz y' + bz), i = s(... + pi c'), f = s(... + pf c'), c = i z + f c'
        const Ratio<T> z = tanh_ratio(sum[4 * k], 1.0f);
        const Ratio<T> i = logistic2_ratio(fma(all<T>(peep[0]), c_old, sum[4 * k + 1]));
        const Ratio<T> f = logistic2_ratio(fma(all<T>(peep[1]), c_old, sum[4 * k + 2]));
        const T zi = z.below * i.below;
        T c_new = fma(z.above * i.above, f.below, (f.above * c_old) * zi);
        c_new = all<T>(0.5f) * (c_new / (zi * f.below));
        // o = s(Wo x + Ro y' + po c + bo), y = o tanh(c)
        const Ratio<T> o = logistic2_ratio(fma(all<T>(peep[2]), c_new, sum[4 * k + 3]));
        T y_new;
        if (p.output_tanh) {
            const Ratio<T> h = tanh_ratio(c_new, 1.0f);
            y_new = all<T>(0.5f) * ((o.above * h.above) / (o.below * h.below));
        } else {
            y_new = all<T>(0.5f) * ((o.above * c_new) / o.below);
        }
        if (mask) {
            c_new = select(*mask, c_new, c_old);
            y_new = select(*mask, y_new, load<T>(y + cell * lanes));
        }
        store(c + cell * lanes, c_new);
        store(y + cell * lanes, y_new);
    }
}

template <class T>
static void lstm_block(const Lstm& p, i64 block, i64 lanes, const float* x, float* c, float* y, float* old_y,
                       const uint8_t* mask) {
    T active;
    const T* chosen = nullptr;
    if (mask) {
        int count = 0;
        for (int l = 0; l < LANES<T>; l++) count += mask[l] != 0;
        if (!count) return;
        if (count < LANES<T>) active = lane_mask<T>(mask), chosen = &active;
    }
    constexpr int C = ROWS / 4;
    const i64 start = block * p.size, end = start + p.size;
    // every cell of the block reads the outputs from before this step
    pack<T>(p.size, lanes, y + start * lanes, old_y);
    i64 cell = start;
    for (; cell + C <= end; cell += C) cells<C, T>(p, cell, x, old_y, lanes, c, y, chosen);
    for (; cell < end; cell++) cells<1, T>(p, cell, x, old_y, lanes, c, y, chosen);
}

template <int M, class T>
static void dense_rows(const float* w, const float* bias, i64 n_in, i64 activation, i64 lanes, const float* x,
                       float* y) {
    T sum[M];
    for (int m = 0; m < M; m++) sum[m] = all<T>(bias[m]);
    multiply<M, T>(sum, w, n_in, n_in, x);
    for (int m = 0; m < M; m++) store(y + m * lanes, squash(sum[m], activation));
}

template <class T>
static void dense_tile(const float* w, i64 n_in, i64 n_out, i64 activation, i64 lanes, const float* x, float* y) {
    if (lanes != LANES<T>) {
        float* packed = scratch(PACKED_X, n_in * LANES<T>);
        pack<T>(n_in, lanes, x, packed);
        x = packed;
    }
    // groups of nearly equal size: a lone last row would wait for the latency of every addition
    const i64 groups = (n_out + ROWS - 1) / ROWS;
    for (i64 g = 0, row = 0; g < groups; g++) {
        const i64 m = (n_out - row) / (groups - g);
        const float *wr = w + row * n_in, *br = w + n_out * n_in + row;
        float* yr = y + row * lanes;
        switch (m) {
#define CASE(M) case M: dense_rows<M, T>(wr, br, n_in, activation, lanes, x, yr); break;
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#undef CASE
        }
        row += m;
    }
}

template <class T>
static void softmax_tile(i64 n, i64 lanes, const float* logits, const uint8_t* legal, float* p) {
    const T none = all<T>(0.0f);
    T top = all<T>(-3.0e38f), sum = none;
    for (i64 k = 0; k < n; k++) {
        T v = max(top, load<T>(logits + k * lanes));
        top = legal ? select(lane_mask<T>(legal + k * lanes), v, top) : v;
    }
    for (i64 k = 0; k < n; k++) {
        T e = exponential(min(load<T>(logits + k * lanes) - top, none));
        if (legal) e = select(lane_mask<T>(legal + k * lanes), e, none);
        sum = sum + e;
        store(p + k * lanes, e);
    }
    sum = max(sum, all<T>(1e-30f));  // no legal action: all zero
    for (i64 k = 0; k < n; k++) store(p + k * lanes, load<T>(p + k * lanes) / sum);
}

// ---------------------------------------------------------------- all lanes: wide tiles, a narrow one, a padded rest
template <class F> INLINE void for_tiles(i64 lanes, F run) {
    i64 l = 0;
    for (; l + WIDE <= lanes; l += WIDE) run(Wide(), l);
    for (; l < lanes; l += NARROW) run(Narrow(), l);
}
static void copy_lanes(i64 rows, i64 n, const float* from, i64 from_lanes, float* to, i64 to_lanes) {
    for (i64 k = 0; k < rows; k++)
        for (i64 l = 0; l < n; l++) to[k * to_lanes + l] = from[k * from_lanes + l];
}
static float* padded(int purpose, i64 rows, i64 lanes, i64 rest, const float* from) {
    float* to = scratch(purpose, rows * NARROW);
    memset(to, 0, rows * NARROW * sizeof(float));
    copy_lanes(rows, rest, from, lanes, to, NARROW);
    return to;
}

static void lstm_step(const float* w, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 lanes, const float* x,
                      float* c, float* y, const uint8_t* mask) {
    const i64 n = blocks * size, rest = lanes % NARROW, whole = lanes - rest;
    Lstm p = {inputs, size, output_tanh, w, w + 4 * n * inputs, nullptr, nullptr};
    p.bias = p.R + 4 * n * size;
    p.peephole = p.bias + 4 * n;
    float* packed = scratch(PACKED_X, inputs * whole);
    for_tiles(whole, [&](auto tile, i64 l) { pack<decltype(tile)>(inputs, lanes, x + l, packed + l * inputs); });
    float* old_y = scratch(OLD_Y, size * WIDE);
    // a block's weights and states stay in the first cache while all tiles pass
    for (i64 block = 0; block < blocks; block++)
        for_tiles(whole, [&](auto tile, i64 l) {
            lstm_block<decltype(tile)>(p, block, lanes, packed + l * inputs, c + l, y + l, old_y,
                                       mask ? mask + l : nullptr);
        });
    if (rest) {
        const float* tail_x = padded(TAIL_X, inputs, lanes, rest, x + whole);
        float* tail_c = padded(TAIL_C, n, lanes, rest, c + whole);
        float* tail_y = padded(TAIL_Y, n, lanes, rest, y + whole);
        uint8_t tail_mask[NARROW] = {};
        for (i64 l = 0; l < rest; l++) tail_mask[l] = mask ? mask[whole + l] : 1;
        for (i64 block = 0; block < blocks; block++)
            lstm_block<Narrow>(p, block, NARROW, tail_x, tail_c, tail_y, old_y, tail_mask);
        copy_lanes(n, rest, tail_c, NARROW, c + whole, lanes);
        copy_lanes(n, rest, tail_y, NARROW, y + whole, lanes);
    }
}

static void dense(const float* w, i64 n_in, i64 n_out, i64 activation, i64 lanes, const float* x, float* y) {
    const i64 rest = lanes % NARROW, whole = lanes - rest;
    for_tiles(whole, [&](auto tile, i64 l) {
        dense_tile<decltype(tile)>(w, n_in, n_out, activation, lanes, x + l, y + l);
    });
    if (rest) {
        const float* tail_x = padded(TAIL_X, n_in, lanes, rest, x + whole);
        float* tail_y = scratch(TAIL_Y, n_out * NARROW);
        dense_tile<Narrow>(w, n_in, n_out, activation, NARROW, tail_x, tail_y);
        copy_lanes(n_out, rest, tail_y, NARROW, y + whole, lanes);
    }
}

// over the rows of each lane; legal [n][lanes] or null
static void softmax(i64 n, i64 lanes, const float* logits, const uint8_t* legal, float* p) {
    const i64 rest = lanes % NARROW, whole = lanes - rest;
    for_tiles(whole, [&](auto tile, i64 l) {
        softmax_tile<decltype(tile)>(n, lanes, logits + l, legal ? legal + l : nullptr, p + l);
    });
    if (rest) {
        const float* tail = padded(TAIL_X, n, lanes, rest, logits + whole);
        float* tail_p = scratch(TAIL_Y, n * NARROW);
        uint8_t* tail_legal = (uint8_t*)scratch(TAIL_C, n * NARROW);
        for (i64 k = 0; k < n; k++)
            for (i64 l = 0; l < NARROW; l++)
                tail_legal[k * NARROW + l] = l < rest && (!legal || legal[k * lanes + whole + l]);
        softmax_tile<Narrow>(n, NARROW, tail, tail_legal, tail_p);
        copy_lanes(n, rest, tail_p, NARROW, p + whole, lanes);
    }
}

// LSTM (none if blocks = 0), then dense layers widths[0] -> widths[1] -> ... -> widths[layers]
struct Estimator {
    i64 inputs, blocks, size, output_tanh, layers;
    const i64 *widths, *activations;
    i64 cells() const { return blocks * size; }
};
static void estimator_step(const Estimator& e, const float* w, i64 lanes, const float* x, float* c, float* y,
                           const uint8_t* mask, const uint8_t* legal, float* out) {
    const i64 n = e.cells();
    if (n) {
        lstm_step(w, e.inputs, e.blocks, e.size, e.output_tanh, lanes, x, c, y, mask);
        w += n * (4 * e.inputs + 4 * e.size + 4 + 3 + 2);
        x = y;
    }
    for (i64 k = 0; k < e.layers; k++) {
        const i64 n_in = e.widths[k], n_out = e.widths[k + 1];
        float* to = k + 1 == e.layers ? out : scratch(k % 2 ? LAYER_B : LAYER_A, n_out * lanes);
        dense(w, n_in, n_out, e.activations[k], lanes, x, to);
        if (e.activations[k] == SOFTMAX) softmax(n_out, lanes, to, legal, to);
        w += n_out * n_in + n_out;
        x = to;
    }
}

// ---------------------------------------------------------------- C interface
EXPORT(ashe_lstm_step)
(const float* w, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 lanes, const float* x, float* c, float* y,
 const uint8_t* mask) {
    lstm_step(w, inputs, blocks, size, output_tanh, lanes, x, c, y, mask);
}

EXPORT(ashe_dense)
(const float* w, i64 n_in, i64 n_out, i64 activation, i64 lanes, const float* x, float* y) {
    dense(w, n_in, n_out, activation, lanes, x, y);
}

EXPORT(ashe_softmax)(i64 n, i64 lanes, const float* logits, const uint8_t* legal, float* p) {
    softmax(n, lanes, logits, legal, p);
}

// One step of a whole population: x [P][inputs][lanes], c and y [P][cells][lanes] (in place), mask [P][lanes] or
// null, legal (for a softmax; may be null) and out [P][widths[layers]][lanes]; individual p's weights start at w + p * stride.
EXPORT(ashe_population_step)
(const float* w, i64 stride, i64 population, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 layers,
 const i64* widths, const i64* activations, i64 lanes, const float* x, float* c, float* y, const uint8_t* mask,
 const uint8_t* legal, float* out) {
    const Estimator e = {inputs, blocks, size, output_tanh, layers, widths, activations};
    const i64 n = e.cells(), n_in = n ? inputs : widths[0], n_out = layers ? widths[layers] : 0;
    for (i64 p = 0; p < population; p++)
        estimator_step(e, w + p * stride, lanes, x + p * n_in * lanes, c + p * n * lanes, y + p * n * lanes,
                       mask ? mask + p * lanes : nullptr, legal ? legal + p * n_out * lanes : nullptr,
                       out + p * n_out * lanes);
}

// Rows r -> lanes: rows of a ragged batch, taken in `order`, which groups them by individual.
template <class A>
static void rows_to_lanes(i64 n, i64 width, const A* rows, const i64* index, A* tile, i64 lanes) {
    for (i64 k0 = 0; k0 < width; k0 += 16) {
        const i64 k1 = k0 + 16 < width ? k0 + 16 : width;
        for (i64 l = 0; l < n; l++) {
            const A* from = rows + index[l] * width;
            for (i64 k = k0; k < k1; k++) tile[k * lanes + l] = from[k];
        }
    }
}
static void lanes_to_rows(i64 n, i64 width, const float* tile, i64 lanes, const i64* index, float* rows) {
    for (i64 k0 = 0; k0 < width; k0 += 16) {
        const i64 k1 = k0 + 16 < width ? k0 + 16 : width;
        for (i64 l = 0; l < n; l++) {
            float* to = rows + index[l] * width;
            for (i64 k = k0; k < k1; k++) to[k] = tile[k * lanes + l];
        }
    }
}

// Ragged batch: row r = order[j] belongs to individual[r] (order sorts by it), reads x[r] and the state row source[r]
// of state_in [*][2 * cells] (c, then y), writes state_out[r] and out[r].
EXPORT(ashe_population_rows)
(const float* w, i64 stride, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 layers, const i64* widths,
 const i64* activations, i64 rows, const i64* order, const i64* individual, const float* x, const float* state_in,
 const i64* source, const uint8_t* legal, float* state_out, float* out) {
    const Estimator e = {inputs, blocks, size, output_tanh, layers, widths, activations};
    const i64 n = e.cells(), n_in = n ? inputs : widths[0], n_out = layers ? widths[layers] : 0;
    float* tile_x = scratch(ROW_X, n_in * WIDE);
    float* tile_c = scratch(ROW_STATE, 2 * n * WIDE);
    float* tile_out = scratch(ROW_OUT, n_out * WIDE);
    uint8_t* tile_legal = legal ? (uint8_t*)scratch(ROW_LEGAL, n_out * WIDE) : nullptr;
    i64 index[WIDE], from[WIDE];
    for (i64 j = 0; j < rows;) {
        const i64 who = individual[order[j]];
        i64 count = 1;
        while (j + count < rows && count < WIDE && individual[order[j + count]] == who) count++;
        // idle lanes up to the next tile width repeat the last row and are not written back
        const i64 lanes = (count + NARROW - 1) / NARROW * NARROW;
        for (i64 l = 0; l < lanes; l++) {
            index[l] = order[j + (l < count ? l : count - 1)];
            from[l] = source[index[l]];
        }
        rows_to_lanes(lanes, n_in, x, index, tile_x, lanes);
        rows_to_lanes(lanes, 2 * n, state_in, from, tile_c, lanes);
        if (legal) rows_to_lanes(lanes, n_out, legal, index, tile_legal, lanes);
        estimator_step(e, w + who * stride, lanes, tile_x, tile_c, tile_c + n * lanes, nullptr, tile_legal, tile_out);
        lanes_to_rows(count, 2 * n, tile_c, lanes, index, state_out);
        lanes_to_rows(count, n_out, tile_out, lanes, index, out);
        j += count;
    }
}
