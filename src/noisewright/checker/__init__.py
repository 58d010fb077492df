"""A checker of certificates of differential privacy, which trusts nobody.

    python checker.pyz certificate.json [more.json ...] [--json]     one file that you can pass on
    python -m noisewright.checker certificate.json                   the same, from the package

The exit status is 0 if all claims are proven, 1 if some are not, 2 if a file is not a certificate.

A mechanism gives each input x a distribution P(· | x) over outputs. It is (ε, δ)-private if
P(S | x) ≤ e^ε P(S | z) + δ for neighbors x and z, in either order, and every set S of outputs. A
certificate holds a mechanism, says which inputs are neighbors, and claims an ε and a δ. This
package proves the claim from the file, in integers and fractions, with Python's standard library
alone. It shares no code with the library that made the certificate, and it is meant to be read, in
this order:

1. `report`: what the checker answers. `document`: how JSON is read, strictly.
2. `numbers`: enclosures of e^x and ln(x), and the sum that decides (ε, δ).
3. `claim`, `points`, `neighbors`: what is claimed, of which inputs and outputs, for which pairs.
4. `table`: the proof for a table of probabilities. If a table is all you have, you need little
   else: `properties` (inequalities between its entries) and `bound` (no mechanism is better).
5. Mechanisms given by a formula, as their tables would be too large: `geometric`, `response`,
   `laplace` and `staircase` (with `grids`), `items`, `flips`, `blocks`, `curve`.
6. Mechanisms that consist of others: `rows`, `person`, `columns`, `collection` (what a person's
   device sends), `groups`, and `shuffled`, with `sums`: rows in random order.
7. `steps`: many private steps, one after the other; `counts` and `choices` prove what each costs,
   `composition` what the total implies. `query`: numbers computed of rows, with noise on each;
   `ranges` finds what one row can add. `keys`: which keys may be shown that nobody declared.
   `rappor`: what a device sends, report after report.
8. `proofs`: which proof belongs to which form. `units`: whose data, and which changes of them, an ε
   is counted for. `certificate`: a whole certificate. `__main__`: the command line.

The text at the top of each file says what is proven there, why, and what is taken on trust. All
files are loaded at the start: with one of them missing, the checker does not run.
"""

from .certificate import check, check_file
from .report import Failure, Report
from .units import Unit, unit_of

__all__ = ["Failure", "Report", "Unit", "check", "check_file", "unit_of"]
