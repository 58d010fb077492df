/* Reports of one person to one collection, randomized before they leave the device.
 *
 *     uint8_t report[NOISEWRIGHT_BYTES];
 *     if (noisewright_report(code, report) == 0) send(report);
 *
 * `code` is the place of the value in collection.json, from 0 on. Every call costs as much as the
 * first. To send one answer again, draw it once with noisewright_answer, keep it on disk, and put
 * it into a new frame for each report with noisewright_frame. Random bits come from the operating
 * system. README.md says what is promised, and what is not. Compile as C11.
 */
#define _DEFAULT_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <errno.h>
#include <sys/random.h>
#elif !(defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__))
#error "Say here where this system has random bytes for cryptography."
#endif

#define POINTS 1
#define PROJECTIVE 2
#define SETS 3
#define HASHES 4
#define WINDOWS 5
#define ENDS 6
#define UNARY 7

@CONSTANTS@

#define NOISEWRIGHT_BYTES (PAYLOAD + 23)

int noisewright_answer(uint64_t code, uint8_t payload[PAYLOAD]);
int noisewright_frame(const uint8_t payload[PAYLOAD], uint8_t report[NOISEWRIGHT_BYTES]);
int noisewright_report(uint64_t code, uint8_t report[NOISEWRIGHT_BYTES]);

static int system_bytes(uint8_t *bytes, size_t count) {
#if defined(__linux__)
    while (count > 0) {
        ssize_t got = getrandom(bytes, count, 0);
        if (got < 0 && errno != EINTR) return -1;
        if (got > 0) {
            bytes += got;
            count -= (size_t)got;
        }
    }
#else
    arc4random_buf(bytes, count);
#endif
    return 0;
}

static int (*random_bytes)(uint8_t *, size_t) = system_bytes;
static int failed; /* set when there were no random bytes: nothing may be sent then */

/* The next bytes as a number, the most significant first. */
static uint64_t number(int count) {
    uint8_t bytes[8] = {0};
    uint64_t found = 0;
    if (random_bytes(bytes, (size_t)count) != 0) failed = 1;
    for (int i = 0; i < count; i++) found = found << 8 | bytes[i];
    return found;
}

/* A uniform number below the bound: the fewest bytes, spare bits dropped, retry. */
static inline uint64_t below(uint64_t bound) {
    int bits = 0;
    while (bits < 64 && (bound - 1) >> bits) bits++;
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (;;) {
        uint64_t drawn = number((bits + 7) / 8) & mask;
        if (drawn < bound || failed) return drawn;
    }
}

static inline void put(uint64_t value, uint8_t *bytes, int count) {
    for (int i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

#if FAMILY == POINTS
static void draw(uint64_t code, int inside, uint8_t *payload) {
    uint64_t output = code;
    if (!inside) {
        output = below(VALUES - 1);
        output += output >= code;
    }
    put(output, payload, PAYLOAD);
}

#elif FAMILY == PROJECTIVE
static uint64_t times(uint64_t a, uint64_t b) {
    if (Q & (Q - 1)) return a * b % Q;
    uint64_t found = 0;
    for (; b; b >>= 1) {
        if (b & 1) found ^= a;
        a <<= 1;
        if (a & Q) a ^= MODULUS;
    }
    return found;
}

/* q^j, and the code of the first point whose last coordinate other than 0 is the j-th. */
static uint64_t power(int j) { return j ? Q * power(j - 1) : 1; }
static uint64_t start(int j) { return (power(j) - 1) / (Q - 1); }

static uint64_t vector_of(uint64_t code) {
    int last = 0;
    while (start(last + 1) <= code) last++;
    return code - start(last) + power(last);
}

static uint64_t code_of(uint64_t vector) {
    int last = 0;
    while (power(last + 1) <= vector) last++;
    return vector - power(last) + start(last);
}

/* The output with these free coordinates and this product with x, at whose place x is not 0. */
static uint64_t solve(uint64_t x, uint64_t place, uint64_t free_ones, uint64_t product) {
    uint64_t found = free_ones / place * place * Q + free_ones % place;
    uint64_t sum = 0, inverse = 1, own = x / place % Q;
    for (int j = 0; j < T; j++) {
        uint64_t one = times(x / power(j) % Q, found / power(j) % Q);
        sum = Q & (Q - 1) ? (sum + one) % Q : sum ^ one;
    }
    while (times(own, inverse) != 1) inverse++;
    uint64_t rest = Q & (Q - 1) ? (product + Q - sum) % Q : product ^ sum;
    return code_of(found + times(rest, inverse) * place);
}

static void draw(uint64_t code, int inside, uint8_t *payload) {
    uint64_t x = vector_of(code), place = 1, output;
    while (x / place % Q == 0) place *= Q;
    if (inside) {
        output = solve(x, place, vector_of(below(start(T - 1))), 0);
    } else {
        uint64_t drawn = below(power(T - 1));
        if (drawn < place) {
            output = code_of(drawn + place);
        } else {
            uint64_t point = (drawn - place) / (Q - 1) + (place - 1) / (Q - 1);
            output = solve(x, place, vector_of(point), (drawn - place) % (Q - 1) + 1);
        }
    }
    put(output, payload, PAYLOAD);
}

#elif FAMILY == SETS
static void draw(uint64_t code, int inside, uint8_t *payload) {
    int count = inside ? 1 : 0;
    if (inside) payload[code / 8] |= (uint8_t)(1 << code % 8);
    while (count < SIZE && !failed) {
        uint64_t other = below(VALUES - 1);
        other += other >= code;
        count += !(payload[other / 8] >> other % 8 & 1);
        payload[other / 8] |= (uint8_t)(1 << other % 8);
    }
}

#elif FAMILY == HASHES
static void draw(uint64_t code, int inside, uint8_t *payload) {
    uint8_t *words = payload;
    uint64_t ab[2];
    for (int i = 0; i < 2; i++, words += WIDTH / 8) {
        ab[i] = 0;
        if (random_bytes(words, WIDTH / 8) != 0) failed = 1;
        for (int j = WIDTH / 8; j-- > 0;) ab[i] = ab[i] << 8 | words[j];
    }
    uint64_t mixed = (ab[0] * code + ab[1]) & (((uint64_t)1 << WIDTH) - 1);
    uint64_t output = mixed >> (WIDTH - LOG2_HASHES);
    if (!inside) {
        uint64_t other = below(((uint64_t)1 << LOG2_HASHES) - 1);
        output = other + (other >= output);
    }
    put(output, words, 2);
}

#elif FAMILY == WINDOWS
static void draw(uint64_t code, int inside, uint8_t *payload) {
    uint64_t first = code * STRIDE, output;
    if (inside) {
        output = first + below(WIDTH);
    } else {
        output = below((VALUES - 1) * STRIDE);
        if (output >= first) output += WIDTH;
    }
    put(output, payload, PAYLOAD);
}

#elif FAMILY == ENDS
static void draw(uint64_t code, int inside, uint8_t *payload) {
    payload[0] = (below(VALUES - 1) < code) == inside;
}
#endif

/* Draw an answer to the value with this code; 0, or -1 if there is no such code or no bytes. */
int noisewright_answer(uint64_t code, uint8_t payload[PAYLOAD]) {
    if (code >= VALUES) return -1;
    failed = 0;
    memset(payload, 0, PAYLOAD);
#if FAMILY == UNARY
    for (uint64_t one = 0; one < VALUES; one++)
        if (number(8) < (one == code ? PRESENT : ABSENT))
            payload[one / 8] |= (uint8_t)(1 << one % 8);
#else
    draw(code, number(8) < KEEP, payload);
#endif
    if (failed) memset(payload, 0, PAYLOAD);
    return failed ? -1 : 0;
}

/* Put an answer into a frame with a number of its own; 0, or -1 if there are no random bytes. */
int noisewright_frame(const uint8_t payload[PAYLOAD], uint8_t report[NOISEWRIGHT_BYTES]) {
    uint32_t crc = UINT32_MAX;
    memcpy(report, "NW\1", 3);
    memcpy(report + 3, DIGEST, 8);
    if (random_bytes(report + 11, 8) != 0) return -1;
    memcpy(report + 19, payload, PAYLOAD);
    for (int i = 0; i < PAYLOAD + 19; i++) {
        crc ^= report[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    put(~crc, report + 19 + PAYLOAD, 4);
    return 0;
}

/* Draw an answer and put it into a frame; 0, or -1 as above, and then nothing may be sent. */
int noisewright_report(uint64_t code, uint8_t report[NOISEWRIGHT_BYTES]) {
    uint8_t payload[PAYLOAD];
    if (noisewright_answer(code, payload) != 0) return -1;
    return noisewright_frame(payload, report);
}
