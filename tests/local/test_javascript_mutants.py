"""Wrong clients do not pass the vectors: each of these small changes is noticed."""

import json
from pathlib import Path

from tests.local.elsewhere import KINDS, NEEDS_NODE, node

MUTANTS = [
    (
        "(found << 8n) | BigInt(byte), 0n);\n  }\n\n  /** Return a uniform",
        "BigInt(byte), 0n);\n }\n/**",
    ),
    ("const mask = (1n << BigInt(bits)) - 1n;", "const mask = (1n << 64n) - 1n;"),
    ("if (drawn < BigInt(bound)) return", "if (drawn <= BigInt(bound)) return"),
    ("if (drawn < BigInt(bound)) return Number(drawn);", "return Number(drawn) % bound;"),
    ("Math.ceil(bits / 8)", "8"),
    ("(BigInt(bound) - 1n).toString", "BigInt(bound).toString"),
    ("return this.number(log2Total / 8) < heads", "return this.number(log2Total / 8) <= heads"),
    ("return this.number(log2Total / 8) < heads", "return this.number(4) << 32n < heads"),
    (
        "output = stream.below(values - 1);\n        output += output >= code;",
        "output = stream.below(values);",
    ),
    ("output += output >= code;", "output += output > code;"),
    ("if (drawn < place) {", "if (drawn <= place) {"),
    ("if (drawn < place) {", "if (false) {"),
    ("% (q - 1)) + 1;", "% (q - 1));"),
    ("times(minus(product, sum), inverse", "times(minus(sum, product), inverse"),
    ("vectorOf(stream.below(starts[t - 1])), 0)", "vectorOf(stream.below(starts[t - 1])), 1)"),
    ("point + (place - 1) / (q - 1)", "point"),
    (
        "if (shifted & q) shifted ^= modulus;",
        "if (shifted & q) shifted ^= q === 16 ? 25 : modulus;",
    ),
    ("new Set(inside ? [code] : [])", "new Set([])"),
    ("chosen.add(other + (other >= code))", "chosen.add(other)"),
    ("other + (other >= output)", "other"),
    ("word(a) * BigInt(code) + word(b)", "word(b) * BigInt(code) + word(a)"),
    ("bytes.reduceRight((found", "bytes.reduce((found"),
    ("if (output >= start) output += width;", "if (output > start) output += width;"),
    ("stream.below(values - 1) < code === inside", "stream.below(values - 1) <= code === inside"),
    ("one === code ? own : other", "one === code ? other : own"),
    ("one === code ? own : other", "one === code ? 1n << 64n : other"),
    ("while (drawn >= weights[part])", "while (drawn > weights[part])"),
    (
        "concatenate(littleEndian(part, 2), report, spare)",
        "concatenate(littleEndian(part, 2), spare, report)",
    ),
    ("Math.max(codes.length, largest)", "largest"),
    ("codes[place] : items + place", "codes[place] : items"),
    ("codes.sort((a, b) => a - b);", ""),
    ("Math.floor(code / group)", "code"),
    ("row[one >> 3] |= 1 << (one & 7)", "row[one >> 3] |= 128 >> (one & 7)"),
    ("digest.subarray(0, 8), number,", "number, digest.subarray(0, 8),"),
    ("0xedb88320", "0x82f63b78"),
    ("littleEndian(crc32(body), 4)", "littleEndian(crc32(body), 4).reverse()"),
]

CHECK = """
import { readFileSync } from "node:fs";
const folders = JSON.parse(process.argv[1]), files = JSON.parse(process.argv[2]);
const kinds = folders.map((folder) => {
  const vectors = JSON.parse(readFileSync(`${folder}/vectors.json`));
  const collection = readFileSync(`${folder}/collection.json`, "utf8");
  return [vectors, { collection, digest: vectors.digest }];
});
const passed = [];
for (const file of files) {
  const client = await import(file);
  const fails = ([vectors, options]) => {
    try { return client.checkVectors(vectors, options) !== vectors.vectors.length; }
    catch { return true; }
  };
  if (!kinds.some(fails)) passed.push(file);
}
console.log(JSON.stringify(passed));
"""


@NEEDS_NODE
def test_every_small_change_is_noticed(tmp_path: Path) -> None:
    quick = KINDS.keys() - {"largest field", "long unary", "long windows", "larger prime"}
    folders = [KINDS[kind].spec(tmp_path / kind) for kind in sorted(quick)]
    script = (folders[0] / "client.js").read_text(encoding="utf-8")
    (tmp_path / "package.json").write_text('{ "type": "module" }')
    files = [tmp_path / "unchanged.js"]
    files[0].write_text(script, encoding="utf-8")
    for number, (old, new) in enumerate(MUTANTS):
        assert old in script, old
        files.append(tmp_path / f"mutant{number}.js")
        files[-1].write_text(script.replace(old, new, 1), encoding="utf-8")
    given = json.dumps([str(folder) for folder in folders])
    found = node(CHECK, given, json.dumps([file.as_uri() for file in files]))
    assert json.loads(found) == [files[0].as_uri()]
