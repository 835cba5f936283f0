// Block LSTM with peepholes (Greff et al. 2017, "LSTM: A Search Space Odyssey", vanilla LSTM) and dense layers,
// one individual at a time, SIMD over tables ("lanes").
//
// Weights of one LSTM, in genome order (see lstm.py): W [cells][4][inputs], R [cells][4][size], bias [cells][4],
// peephole [cells][3], initial c [cells], initial y [cells]; gate order z, i, f, o. A dense layer: W [out][in],
// bias [out]. Lane arrays are [rows][lanes].
//
// A lane's result must not depend on how many lanes there are or where it stands, because matches are batched
// differently by different callers. So every lane goes through the same sequence of IEEE operations whatever the
// tile (see tiles.cpp), with explicit fma calls, and -ffp-contract=off so that the compiler adds none of its own.

#include "simd.cpp"
#include "tiles.cpp"

#define NAME2(name, suffix) name##_##suffix
#define NAME1(name, suffix) NAME2(name, suffix)
#define EXPORT(name) extern "C" __attribute__((visibility("default"))) void NAME1(name, ASHE_SUFFIX)

// ---------------------------------------------------------------- working memory, one block per thread and purpose
enum { BLOCK, PACKED_X, LAYER_A, LAYER_B, ROW_X, ROW_STATE, ROW_OUT, ROW_LEGAL, PURPOSES };
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

// ---------------------------------------------------------------- all lanes: wide tiles, then narrow ones
template <class F> INLINE void for_tiles(i64 lanes, F run) {
    i64 l = 0;
    for (; l + Wide::WIDTH <= lanes; l += Wide::WIDTH) run(Wide{lanes, Wide::WIDTH}, l);
    for (; l < lanes; l += 8) run(Narrow{lanes, lanes - l < 8 ? lanes - l : 8}, l);
}

// n things in groups of at most `most`, of nearly equal size (a lone last one would wait for the latency of every
// addition), all of whole `unit`s but the last; calls run(std::integral_constant-like count, first)
template <int N> struct Count { static constexpr int value = N; };
template <int MOST, int UNIT, class F> INLINE void for_groups(i64 n, F run) {
    static_assert(MOST <= 16, "as many cases as below");
    const i64 units = (n + UNIT - 1) / UNIT, groups = (n + MOST - 1) / MOST;
    for (i64 g = 0, unit = 0; g < groups; g++) {
        const i64 take = (units - unit) / (groups - g), first = unit * UNIT;
        const i64 count = first + take * UNIT < n ? take * UNIT : n - first;
        unit += take;
        switch (count) {
#define CASE(M) case M: if constexpr (M <= MOST) run(Count<M>(), first); break;
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
            CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16)
#undef CASE
        }
    }
}

// ---------------------------------------------------------------- LSTM
struct Lstm {
    i64 inputs, size, output_tanh;
    const float *W, *R, *bias, *peephole;
};

// The gate sums of C cells of a block: gates[4 * k + gate] for the cells that share vector k.
template <int C, class Tile>
static __attribute__((noinline)) void gate_sums(const Lstm& p, i64 first, const float* x, const float* old_y,
                                                typename Tile::Vector* gates) {
    typename Tile::template Sums<4 * C> sums;
    sums.start(p.bias + 4 * first);
    sums.multiply(p.W + 4 * first * p.inputs, p.inputs, p.inputs, x);
    sums.multiply(p.R + 4 * first * p.size, p.size, p.size, old_y);
#pragma GCC unroll 16
    for (int k = 0; k < C; k += Tile::TOGETHER) {
        const int also = k + Tile::TOGETHER <= C ? Tile::TOGETHER - 1 : 0;
#pragma GCC unroll 4
        for (int gate = 0; gate < 4; gate++) *gates++ = sums.get(4 * k + gate, 4 * (k + also) + gate);
    }
}

// From gate sums to the new state, N vectors of cells side by side: one alone would wait for the latency of each of
// the long chain of operations below.
template <int N, class Tile>
static __attribute__((noinline)) void new_state(const Lstm& p, const Tile tile, i64 first, i64 end,
                                                const typename Tile::Vector* gates, float* c, float* y,
                                                const typename Tile::Vector* mask) {
    typedef typename Tile::Vector T;
    i64 at[N], stride[N];
    const float* peep[N];
    i64 also[N];
    T c_old[N], c_new[N], y_new[N];
#define EACH _Pragma("GCC unroll 8") for (int k = 0; k < N; k++)
    EACH {
        const i64 cell = first + k * Tile::TOGETHER;
        also[k] = cell + Tile::TOGETHER <= end ? Tile::TOGETHER - 1 : 0;
        at[k] = cell * tile.lanes, stride[k] = also[k] * tile.lanes, peep[k] = p.peephole + 3 * cell;
        c_old[k] = tile.get(c + at[k], stride[k]);
    }
    // z = tanh(Wz x + Rz y' + bz), i = s(... + pi c'), f = s(... + pf c'), c = i z + f c'
    Ratio<T> zi[N];
    T f[N], o[N];
    EACH zi[k] = tanh_ratio(gates[4 * k]);
    EACH zi[k].below =
        zi[k].below * logistic_below(fma(Tile::scalars(peep[k], 3 * also[k]), c_old[k], gates[4 * k + 1]));
    EACH f[k] = logistic_below(fma(Tile::scalars(peep[k] + 1, 3 * also[k]), c_old[k], gates[4 * k + 2]));
    EACH c_new[k] = fma(zi[k].above, f[k], c_old[k] * zi[k].below) / (zi[k].below * f[k]);
    // o = s(Wo x + Ro y' + po c + bo), y = o tanh(c)
    EACH o[k] = logistic_below(fma(Tile::scalars(peep[k] + 2, 3 * also[k]), c_new[k], gates[4 * k + 3]));
    if (p.output_tanh) {
        Ratio<T> h[N];
        EACH h[k] = tanh_ratio(c_new[k]);
        EACH y_new[k] = h[k].above / (h[k].below * o[k]);
    } else {
        EACH y_new[k] = c_new[k] / o[k];
    }
    EACH {
        if (mask) {
            c_new[k] = select(*mask, c_new[k], c_old[k]);
            y_new[k] = select(*mask, y_new[k], tile.get(y + at[k], stride[k]));
        }
        tile.put(c + at[k], stride[k], c_new[k]);
        tile.put(y + at[k], stride[k], y_new[k]);
    }
#undef EACH
}

template <class Tile>
static void lstm_block(const Lstm& p, const Tile tile, i64 block, const float* x, float* c, float* y, float* work,
                       const uint8_t* mask) {
    typedef typename Tile::Vector T;
    T active;
    const T* chosen = nullptr;
    if (mask) {
        i64 count = 0;
        for (i64 l = 0; l < tile.n; l++) count += mask[l] != 0;
        if (!count) return;
        if (count < tile.n) active = tile.mask(mask), chosen = &active;
    }
    const i64 start = block * p.size, end = start + p.size;
    // every cell of the block reads the outputs from before this step
    float* old_y = work + 4 * (p.size + 1) * LANES<T>;
    T* gates = (T*)work;
    tile.pack(p.size, y + start * tile.lanes, old_y);
    for_groups<Tile::CELLS, Tile::TOGETHER>(p.size, [&](auto count, i64 k) {
        gate_sums<decltype(count)::value, Tile>(p, start + k, x, old_y, gates + 4 * k / Tile::TOGETHER);
    });
    for_groups<5, 1>((p.size + Tile::TOGETHER - 1) / Tile::TOGETHER, [&](auto count, i64 k) {
        new_state<decltype(count)::value>(p, tile, start + k * Tile::TOGETHER, end, gates + 4 * k, c, y, chosen);
    });
}

static void lstm_step(const float* w, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 lanes, const float* x,
                      float* c, float* y, const uint8_t* mask) {
    const i64 n = blocks * size, even_inputs = (inputs + 1) / 2 * 2;
    Lstm p = {inputs, size, output_tanh, w, w + 4 * n * inputs, nullptr, nullptr};
    p.bias = p.R + 4 * n * size;
    p.peephole = p.bias + 4 * n;
    float* packed = scratch(PACKED_X, even_inputs * (lanes + 8));
    for_tiles(lanes, [&](auto tile, i64 l) { tile.pack(inputs, x + l, packed + l * even_inputs); });
    float* work = scratch(BLOCK, 5 * (size + 1) * 16);
    // a block's weights and states stay in the first cache while all tiles pass
    for (i64 block = 0; block < blocks; block++)
        for_tiles(lanes, [&](auto tile, i64 l) {
            lstm_block(p, tile, block, packed + l * even_inputs, c + l, y + l, work, mask ? mask + l : nullptr);
        });
}

// ---------------------------------------------------------------- dense layer: W [n_out][n_in], then bias [n_out]
template <int M, class Tile>
static __attribute__((noinline)) void dense_rows(const Tile tile, const float* w, const float* bias, i64 n_in,
                                                 i64 activation, const float* x, float* y) {
    typename Tile::template Sums<M> sums;
    sums.start(bias);
    sums.multiply(w, n_in, n_in, x);
#pragma GCC unroll 8
    for (int m = 0; m < M; m += Tile::TOGETHER) {
        const int also = m + Tile::TOGETHER <= M ? Tile::TOGETHER - 1 : 0;
        tile.put(y + m * tile.lanes, also * tile.lanes, squash(sums.get(m, m + also), activation));
    }
}

static void dense(const float* w, i64 n_in, i64 n_out, i64 activation, i64 lanes, const float* x, float* y) {
    float* packed = scratch(PACKED_X, (n_in + 1) * 16);
    for_tiles(lanes, [&](auto tile, i64 l) {
        typedef decltype(tile) Tile;
        tile.pack(n_in, x + l, packed);
        for_groups<Tile::ROWS, Tile::TOGETHER>(n_out, [&](auto count, i64 row) {
            dense_rows<decltype(count)::value, Tile>(tile, w + row * n_in, w + n_out * n_in + row, n_in, activation,
                                                     packed, y + row * lanes + l);
        });
    });
}

// ---------------------------------------------------------------- softmax over the rows of each lane
// legal [n][lanes] or null
static void softmax(i64 n, i64 lanes, const float* logits, const uint8_t* legal, float* p) {
    const v8 none = all<v8>(0.0f);
    for (i64 l = 0; l < lanes; l += 8) {
        const i64 some = lanes - l < 8 ? lanes - l : 8;
        v8 top = all<v8>(-3.0e38f), sum = none;
        for (i64 k = l; k < n * lanes; k += lanes) {
            v8 v = max(top, load_some(logits + k, some));
            top = legal ? select(lane_mask<v8>(legal + k, some), v, top) : v;
        }
        for (i64 k = l; k < n * lanes; k += lanes) {
            v8 e = exponential(min(load_some(logits + k, some) - top, none));
            if (legal) e = select(lane_mask<v8>(legal + k, some), e, none);
            sum = sum + e;
            store_some(p + k, some, e);
        }
        sum = max(sum, all<v8>(1e-30f));  // no legal action: all zero
        for (i64 k = l; k < n * lanes; k += lanes) store_some(p + k, some, load_some(p + k, some) / sum);
    }
}

// ---------------------------------------------------------------- estimator
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

// Rows of a ragged batch, taken in `order`, which groups them by individual, and lanes [width][lanes].
template <class A> static void rows_to_lanes(i64 n, i64 width, const A* rows, const i64* index, A* tile, i64 lanes) {
    for (i64 l = 0; l < n; l++)
        for (i64 k = 0; k < width; k++) tile[k * lanes + l] = rows[index[l] * width + k];
}
static void rows_to_lanes(i64 n, i64 width, const float* rows, const i64* index, float* tile, i64 lanes) {
    const i64 whole = width / 8 * 8;
    for (i64 l = 0; l < n; l += 8) {  // n is a multiple of 8
        for (i64 k = 0; k < whole; k += 8) {
            v8 square[8];
            for (int j = 0; j < 8; j++) square[j] = load<v8>(rows + index[l + j] * width + k);
            transpose(square);
            for (int j = 0; j < 8; j++) store(tile + (k + j) * lanes + l, square[j]);
        }
        for (i64 k = whole; k < width; k++)
            for (int j = 0; j < 8; j++) tile[k * lanes + l + j] = rows[index[l + j] * width + k];
    }
}
static void lanes_to_rows(i64 n, i64 width, const float* tile, i64 lanes, const i64* index, float* rows) {
    const i64 whole = width / 8 * 8;
    for (i64 l = 0; l < n; l += 8) {
        const i64 some = n - l < 8 ? n - l : 8;
        for (i64 k = 0; k < whole; k += 8) {
            v8 square[8];
            for (int j = 0; j < 8; j++) square[j] = load<v8>(tile + (k + j) * lanes + l);
            transpose(square);
            for (int j = 0; j < some; j++) store(rows + index[l + j] * width + k, square[j]);
        }
        for (i64 k = whole; k < width; k++)
            for (int j = 0; j < some; j++) rows[index[l + j] * width + k] = tile[k * lanes + l + j];
    }
}

// Ragged batch: row r = order[j] belongs to individual[r] (order sorts by it), reads x[r] and the state row source[r]
// of state_in [*][2 * cells] (c, then y), writes state_out[r] and out[r].
EXPORT(ashe_population_rows)
(const float* w, i64 stride, i64 inputs, i64 blocks, i64 size, i64 output_tanh, i64 layers, const i64* widths,
 const i64* activations, i64 rows, const i64* order, const i64* individual, const float* x, const float* state_in,
 const i64* source, const uint8_t* legal, float* state_out, float* out) {
    const Estimator e = {inputs, blocks, size, output_tanh, layers, widths, activations};
    constexpr i64 CHUNK = 16;  // lanes at a time
    const i64 n = e.cells(), n_in = n ? inputs : widths[0], n_out = layers ? widths[layers] : 0;
    float* tile_x = scratch(ROW_X, n_in * CHUNK);
    float* tile_c = scratch(ROW_STATE, 2 * n * CHUNK);
    float* tile_out = scratch(ROW_OUT, n_out * CHUNK);
    uint8_t* tile_legal = legal ? (uint8_t*)scratch(ROW_LEGAL, n_out * CHUNK) : nullptr;
    i64 index[CHUNK], from[CHUNK];
    for (i64 j = 0; j < rows;) {
        const i64 who = individual[order[j]];
        i64 count = 1;
        while (j + count < rows && count < CHUNK && individual[order[j + count]] == who) count++;
        // idle lanes up to the next tile width repeat the last row and are not written back
        const i64 lanes = (count + 8 - 1) / 8 * 8;
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
