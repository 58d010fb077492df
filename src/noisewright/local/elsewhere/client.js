// Reports of one person to one collection, randomized before they leave the device.
//
//     import { makeClient, storageMemo } from "./client.js";
//     const client = makeClient({ memo: storageMemo(localStorage) });
//     const bytes = client.report(value);      // a Uint8Array: send it as it is
//
// Runs in browsers as a module and in Node 20 or newer. Random bits come from
// crypto.getRandomValues and from nowhere else; nothing is sent from here. README.md says what is
// promised, and what is not.

const COLLECTION = /* collection.json, as it is written */ "@COLLECTION@";
const DIGEST = /* the SHA-256 of it */ "@DIGEST@";

/** What is wrong, in words that never contain the value. */
export class ReportError extends Error {
  name = "ReportError";
}

function refuse(message) {
  throw new ReportError(message);
}

// ---- Random numbers: whole bytes, used in one way that every client shares ----

function secretBytes(count) {
  const bytes = new Uint8Array(count);
  if (typeof crypto === "undefined" || !crypto.getRandomValues) {
    refuse("there is no crypto.getRandomValues here. Use a current browser, or Node 20 or newer.");
  }
  crypto.getRandomValues(bytes);
  return bytes;
}

class ByteStream {
  constructor(take) {
    this.take = take;
  }

  /** Return the next bytes as a number, the most significant first. */
  number(count) {
    return this.take(count).reduce((found, byte) => (found << 8n) | BigInt(byte), 0n);
  }

  /** Return a uniform number below the bound: the fewest bytes, spare bits dropped, retry. */
  below(bound) {
    const bits = bound > 1 ? (BigInt(bound) - 1n).toString(2).length : 0;
    const mask = (1n << BigInt(bits)) - 1n;
    for (;;) {
      const drawn = this.number(Math.ceil(bits / 8)) & mask;
      if (drawn < BigInt(bound)) return Number(drawn);
    }
  }

  /** Return true with probability heads / 2^log2Total. */
  coin(heads, log2Total) {
    return this.number(log2Total / 8) < heads;
  }
}

// ---- Bytes ----

function littleEndian(number, length) {
  let rest = BigInt(number);
  return Uint8Array.from({ length }, () => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}

function concatenate(...pieces) {
  const found = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let start = 0;
  for (const piece of pieces) {
    found.set(piece, start);
    start += piece.length;
  }
  return found;
}

/** Return numbers as a row of bits: bit i is bit i mod 8 of byte floor(i / 8). */
function bitRow(numbers, size) {
  const row = new Uint8Array(Math.ceil(size / 8));
  for (const one of numbers) row[one >> 3] |= 1 << (one & 7);
  return row;
}

function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/** Return how many bytes hold numbers below so many: 1, 2, 4 or 8. */
function wordLength(outputs) {
  return [1, 2, 4, 8].find((length) => BigInt(outputs) <= 1n << BigInt(8 * length));
}

// ---- Families of blocks: an output inside the block of a code, or outside of it ----

const FAMILIES = {
  points({ values }) {
    return (code, inside, stream) => {
      let output = code;
      if (!inside) {
        output = stream.below(values - 1);
        output += output >= code;
      }
      return littleEndian(output, wordLength(values));
    };
  },

  projective({ q, t, modulus }) {
    const { times, plus, minus } = q & (q - 1) ? residues(q) : polynomials(q, modulus);
    const powers = Array.from({ length: t + 1 }, (_, j) => q ** j);
    const starts = powers.map((power) => (power - 1) / (q - 1));
    const lastBelow = (list, number) => list.findLastIndex((one) => one <= number);
    const vectorOf = (code) => {
      const last = lastBelow(starts, code);
      return code - starts[last] + powers[last];
    };
    const codeOf = (vector) => {
      const last = lastBelow(powers, vector);
      return vector - powers[last] + starts[last];
    };
    const digit = (vector, j) => Math.floor(vector / powers[j]) % q;
    const inverse = (a) => {
      for (let b = 1; ; b += 1) if (times(a, b) === 1) return b;
    };
    return (code, inside, stream) => {
      const x = vectorOf(code);
      let first = 0;
      while (digit(x, first) === 0) first += 1;
      const place = powers[first];
      const solve = (free, product) => {
        const found = Math.floor(free / place) * place * q + (free % place);
        let sum = 0;
        for (let j = 0; j < t; j += 1) sum = plus(sum, times(digit(x, j), digit(found, j)));
        const own = times(minus(product, sum), inverse(digit(x, first)));
        return codeOf(found + own * place);
      };
      let output;
      if (inside) {
        output = solve(vectorOf(stream.below(starts[t - 1])), 0);
      } else {
        const drawn = stream.below(powers[t - 1]);
        if (drawn < place) {
          output = codeOf(drawn + place);
        } else {
          const point = Math.floor((drawn - place) / (q - 1));
          const product = ((drawn - place) % (q - 1)) + 1;
          output = solve(vectorOf(point + (place - 1) / (q - 1)), product);
        }
      }
      return littleEndian(output, wordLength(starts[t]));
    };
  },

  sets({ values, size }) {
    return (code, inside, stream) => {
      const chosen = new Set(inside ? [code] : []);
      while (chosen.size < size) {
        const other = stream.below(values - 1);
        chosen.add(other + (other >= code));
      }
      return bitRow(chosen, values);
    };
  },

  hashes({ hashes, width }) {
    const shift = BigInt(width - Math.log2(hashes));
    const word = (bytes) => bytes.reduceRight((found, byte) => (found << 8n) | BigInt(byte), 0n);
    return (code, inside, stream) => {
      const [a, b] = [stream.take(width / 8), stream.take(width / 8)];
      const mixed = BigInt.asUintN(width, word(a) * BigInt(code) + word(b));
      let output = Number(mixed >> shift);
      if (!inside) {
        const other = stream.below(hashes - 1);
        output = other + (other >= output);
      }
      return concatenate(a, b, littleEndian(output, 2));
    };
  },

  windows({ values, width, stride }) {
    const outputs = (values - 1) * stride + width;
    requireExact(outputs);
    return (code, inside, stream) => {
      const start = code * stride;
      let output;
      if (inside) {
        output = start + stream.below(width);
      } else {
        output = stream.below(outputs - width);
        if (output >= start) output += width;
      }
      return littleEndian(output, wordLength(outputs));
    };
  },

  // The code is rounded to one of the two ends at random; the block is that end.
  ends({ values }) {
    return (code, inside, stream) =>
      Uint8Array.of(Number(stream.below(values - 1) < code === inside));
  },
};

function residues(q) {
  return {
    times: (a, b) => (a * b) % q,
    plus: (a, b) => (a + b) % q,
    minus: (a, b) => (a - b + q) % q,
  };
}

/** Return the arithmetic of polynomials over two elements, as bits, modulo one of them. */
function polynomials(q, modulus) {
  const times = (a, b) => {
    let found = 0;
    for (let rest = b, shifted = a; rest; rest >>= 1) {
      if (rest & 1) found ^= shifted;
      shifted <<= 1;
      if (shifted & q) shifted ^= modulus;
    }
    return found;
  };
  return { times, plus: (a, b) => a ^ b, minus: (a, b) => a ^ b };
}

// ---- Randomizers, by the form that collection.json gives: (code, stream) => bytes ----
// To add a form, add a function here, and its name to folder.py.

const FORMS = {
  blocks({ family, keep, log2_total: log2Total }) {
    const draw = pick(FAMILIES, family.kind, "family of blocks")(family);
    const heads = BigInt(`0x${keep}`);
    return (code, stream) => {
      requireCode(code, family.values);
      return draw(code, stream.coin(heads, log2Total), stream);
    };
  },

  unary({ size, present, absent, log2_total: log2Total }) {
    const [own, other] = [present, absent].map((text) => BigInt(`0x${text}`));
    return (code, stream) => {
      requireCode(code, size);
      const set = [];
      for (let one = 0; one < size; one += 1) {
        if (stream.coin(one === code ? own : other, log2Total)) set.push(one);
      }
      return bitRow(set, size);
    };
  },

  // Codes of a set's items: it is filled up with dummies, and one of them is reported.
  padded({ items, largest, response }) {
    const draw = randomizerOf(response);
    return (codes, stream) => {
      const place = stream.below(Math.max(codes.length, largest));
      return draw(place < codes.length ? codes[place] : items + place, stream);
    };
  },

  // A code for each part, or one code for all of them.
  "one of several"({ weights, parts, bytes }) {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    requireExact(total);
    const draws = parts.map(randomizerOf);
    return (codes, stream) => {
      let drawn = stream.below(total);
      let part = 0;
      while (drawn >= weights[part]) {
        drawn -= weights[part];
        part += 1;
      }
      const report = draws[part](Array.isArray(codes) ? codes[part] : codes, stream);
      const spare = new Uint8Array(bytes - 2 - report.length);
      return concatenate(littleEndian(part, 2), report, spare);
    };
  },
};

/** Whole numbers beyond 2^53 would be rounded. */
function requireExact(number) {
  if (!Number.isSafeInteger(number)) refuse("a number of this collection is beyond 2^53.");
}

function requireCode(code, values) {
  if (!Number.isInteger(code) || code < 0 || code >= values) {
    refuse("the values and the reports of this collection do not fit together.");
  }
}

function randomizerOf(described) {
  return pick(FORMS, described.form, "form of report")(described);
}

// ---- Values, by the kind of points that collection.json gives: value => code, or undefined ----
// To add a kind, add a function here, and its name to folder.py.

const POINTS = {
  labels({ labels }) {
    const codes = new Map(labels.map((label, code) => [label, code]));
    return (value) => codes.get(typeof value === "bigint" ? Number(value) : value);
  },

  counts({ n }) {
    return (value) => {
      const count = typeof value === "bigint" ? Number(value) : value;
      return Number.isInteger(count) && count >= 0 && count <= n ? count + 0 : undefined;
    };
  },

  // Numbers are compared with the grid exactly, as fractions; one that is within a millionth of a
  // step of a point counts as that point.
  grid({ low, high, step, unit }, { outside, off_grid: offGrid }) {
    if (unit !== undefined) refuse("this client does not read dates. Collect counts or labels.");
    const [bottom, top, pace] = [low, high, step].map(fraction);
    const stepsTo = ([n, d]) => [
      (n * bottom[1] - bottom[0] * d) * pace[1],
      d * bottom[1] * pace[0],
    ];
    const last = floorDivide(...stepsTo(top));
    return (given) => {
      const value = typeof given === "bigint" ? Number(given) : given;
      if (typeof value !== "number" || Number.isNaN(value)) return undefined;
      if (!Number.isFinite(value)) {
        return outside === "clamp" ? (value < 0 ? 0 : Number(last)) : undefined;
      }
      let [n, d] = stepsTo(doubleAsFraction(value));
      if (outside === "clamp") {
        if (n < 0n) n = 0n;
        if (n > last * d) n = last * d;
      }
      const nearest = floorDivide(2n * n + d, 2n * d);
      const within = (distance) =>
        10n ** 12n * distance <= (absolute(n) > 10n ** 6n * d ? absolute(n) : 10n ** 6n * d);
      if (!within(-n) || !within(n - last * d)) return undefined;
      if (offGrid !== "round" && !within(absolute(n - nearest * d))) return undefined;
      return Number(nearest < 0n ? 0n : nearest > last ? last : nearest);
    };
  },
};

// ---- Readings: what a person has, as one code or several ----
// To add a reading, add a function here, and its name to folder.py.

const READINGS = {
  // One value; `group` neighbors have one code.
  value(reading, values) {
    const { values: own = values, group = 1 } = reading;
    const read = pick(POINTS, own.kind, "kind of values")(own, reading);
    return (value) => {
      const code = read(value);
      return code === undefined ? undefined : Math.floor(code / group);
    };
  },

  // An array or Set of values: the codes of those that are candidates, in the order of the list.
  set({ values: own, candidates }, values) {
    const read = pick(POINTS, (own ?? values).kind, "kind of values")(own ?? values, {});
    const places = candidates && new Map(candidates.map((one, place) => [one, place]));
    return (value) => {
      if (!Array.isArray(value) && !(value instanceof Set)) return undefined;
      const codes = [...new Set(Array.from(value, read))];
      if (codes.includes(undefined)) return undefined;
      codes.sort((a, b) => a - b);
      if (!places) return codes;
      return codes.filter((code) => places.has(code)).map((code) => places.get(code));
    };
  },

  // How many candidates a set has, at most `most`.
  "set size"(reading, values) {
    const read = READINGS.set(reading, values);
    return (value) => {
      const codes = read(value);
      return codes === undefined ? undefined : Math.min(codes.length, reading.most);
    };
  },

  // An object with a value for each name; its codes in their order.
  record({ names, parts }, values) {
    const reads = parts.map((part) => readingOf(part, values));
    return (value) => {
      if (typeof value !== "object" || value === null) return undefined;
      if (Object.keys(value).length !== names.length) return undefined;
      if (!names.every((name) => Object.hasOwn(value, name))) return undefined;
      const codes = names.map((name, i) => reads[i](value[name]));
      return codes.includes(undefined) ? undefined : codes;
    };
  },
};

function readingOf(reading, values) {
  return pick(READINGS, reading.kind, "reading of values")(reading, values);
}

function absolute(number) {
  return number < 0n ? -number : number;
}

function floorDivide(n, d) {
  const found = n / d;
  return found * d > n ? found - 1n : found;
}

function fraction(text) {
  const [n, d] = text.split("/");
  return [BigInt(n), BigInt(d ?? 1)];
}

function doubleAsFraction(value) {
  let [n, d] = [value, 1n];
  for (; !Number.isInteger(n); n *= 2) d *= 2n;
  return [BigInt(n), d];
}

function pick(table, name, what) {
  if (!Object.hasOwn(table, name)) {
    refuse(`this client does not know the ${what} "${name}". Take a newer client.js.`);
  }
  return table[name];
}

// ---- Frames: "NW", version, digest, number of the report, report, checksum ----

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes) {
  const found = bytes.reduce((crc, byte) => CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8), -1);
  return ~found >>> 0;
}

function frame(digest, number, payload) {
  const head = Uint8Array.of(0x4e, 0x57, 1);
  const body = concatenate(head, digest.subarray(0, 8), number, payload);
  return concatenate(body, littleEndian(crc32(body), 4));
}

// ---- SHA-256 (FIPS 180-4); the one of browsers is not there on pages without https ----

function sha256(message) {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  // The first 32 bits behind the point of square and cube roots, found in whole numbers.
  const root = (p, power) => {
    let found = BigInt(Math.floor(p ** (1 / Number(power)) * 2 ** 32));
    const target = BigInt(p) << (32n * power);
    while (found ** power > target) found -= 1n;
    while ((found + 1n) ** power <= target) found += 1n;
    return Number(found & 0xffffffffn);
  };
  const state = primes.slice(0, 8).map((p) => root(p, 2n));
  const rounds = Int32Array.from(primes, (p) => root(p, 3n));
  const turn = (word, count) => (word >>> count) | (word << (32 - count));
  const zeros = new Uint8Array((((119 - message.length) % 64) + 64) % 64);
  const length = littleEndian(8 * message.length, 8).reverse();
  const data = concatenate(message, Uint8Array.of(128), zeros, length);
  const view = new DataView(data.buffer);
  const words = new Uint32Array(64);
  for (let start = 0; start < data.length; start += 64) {
    for (let i = 0; i < 64; i += 1) {
      if (i < 16) {
        words[i] = view.getUint32(start + 4 * i);
      } else {
        const x = words[i - 15];
        const y = words[i - 2];
        const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
        const high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
        words[i] = words[i - 16] + low + words[i - 7] + high;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = (h + mixed + ((e & f) ^ (~e & g)) + rounds[i] + words[i]) | 0;
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = (state[i] + word) | 0;
    });
  }
  return concatenate(...state.map((word) => littleEndian(word >>> 0, 4).reverse()));
}

// ---- Clients ----

/** Read a collection, and refuse one that is not what its digest says. */
function openCollection(text, digest) {
  const found = sha256(new TextEncoder().encode(text));
  if (toHex(found) !== digest) {
    refuse("the collection is not the one that its digest names. Take all files of one folder.");
  }
  const spec = JSON.parse(text);
  if (spec.format !== "noisewright-collection" || spec.version !== 1) {
    refuse("this is not a collection of version 1. Take a newer client.js.");
  }
  const read = readingOf(spec.reading, spec.values);
  const draw = randomizerOf(spec.randomizer);
  return {
    spec,
    codeOf(value) {
      const code = read(value);
      if (code === undefined) {
        refuse("the value is none of the collection's values (collection.json lists them).");
      }
      return code;
    },
    draw(code, stream) {
      const payload = draw(code, stream);
      if (payload.length !== spec.bytes) refuse("the report is not as long as it should be.");
      return payload;
    },
    frame: (stream, payload) => frame(found, stream.take(8), payload),
  };
}

/** Return the answer that is kept for a code, or draw one and keep it before it is used. */
function remember(memo, key, length, draw) {
  let kept = memo.get(key);
  if (kept === null || kept === undefined) {
    memo.set(key, toHex(draw()));
    kept = memo.get(key);
  }
  const payload = fromHex(kept);
  if (payload === undefined || payload.length !== length) {
    refuse("the memo does not keep what it is given, or is damaged. Nothing was sent.");
  }
  return payload;
}

/**
 * Return a client: client.report(value) is a Uint8Array, ready to be sent.
 *
 * With `memo`, an object with get(key) and set(key, text), the answer to each value is drawn once,
 * kept, and sent again from memory. Without one, every report costs as much as the first.
 */
export function makeClient({ memo, collection = COLLECTION, digest = DIGEST } = {}) {
  const opened = openCollection(collection, digest);
  const stream = new ByteStream(secretBytes);
  const { name, claims, bytes } = opened.spec;
  return Object.freeze({
    name,
    digest,
    claims,
    bytes: bytes + 23,
    report(value) {
      const code = opened.codeOf(value);
      const draw = () => opened.draw(code, stream);
      const key = `noisewright.${digest}.${code}`;
      const payload = memo ? remember(memo, key, bytes, draw) : draw();
      return opened.frame(stream, payload);
    },
  });
}

/** Return a memo in localStorage, or in anything else with getItem and setItem. */
export function storageMemo(storage) {
  return {
    get: (key) => storage.getItem(key),
    set: (key, text) => storage.setItem(key, text),
  };
}

/** Return how many vectors of vectors.json give the same reports here, which must be all. */
export function checkVectors({ digest: named, vectors }, options = {}) {
  const { collection = COLLECTION, digest = DIGEST } = options;
  const opened = openCollection(collection, digest);
  if (named !== digest) refuse("the vectors are those of another collection.");
  for (const [number, { value, random, report }] of vectors.entries()) {
    const bytes = fromHex(random);
    let used = 0;
    const stream = new ByteStream((count) => {
      used += count;
      if (used > bytes.length) refuse(`vector ${number} has too few random bytes.`);
      return bytes.subarray(used - count, used);
    });
    const payload = opened.draw(opened.codeOf(value), stream);
    const found = toHex(opened.frame(stream, payload));
    if (found !== report || used !== bytes.length) refuse(`vector ${number} gives another report.`);
  }
  return vectors.length;
}
