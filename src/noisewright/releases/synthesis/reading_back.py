"""A synthetic table read back, from its file and what lies beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from noisewright.errors import NoisewrightError, ReleaseError
from noisewright.exact import exactly, parse_json
from noisewright.files import read_whole
from noisewright.given import whole_number
from noisewright.mechanisms import Guarantee
from noisewright.releases.files.target import COUNTS, TargetFiles
from noisewright.releases.released import certificate_beside, file_digest
from noisewright.releases.synthesis.certified_counts import (
    require_compared,
    require_counted,
    require_joined,
    require_proven,
    require_same_bins,
)
from noisewright.releases.synthesis.counted_run import CountedRun
from noisewright.releases.synthesis.declared import Declared
from noisewright.releases.synthesis.method import require_fitted
from noisewright.releases.synthesis.plain_spaces import read_space
from noisewright.releases.synthesis.result import FORMAT, VERSION, Synthesis
from noisewright.spaces import Records
from noisewright.synthetic import (
    FARTHEST,
    MARGINAL,
    QUERY,
    Bins,
    JoinedBins,
    Measurement,
    ModelDistance,
    Noise,
    PartError,
    Spend,
    Workload,
    WorkloadErrors,
    fields_of,
    shape_of,
)

_ROUNDING = 1e-6
"""By how much sums of shares may be off, as a part of all."""

_BROKEN = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


def is_synthesis(path: str | os.PathLike[str]) -> bool:
    """Tell whether what lies beside a file says that it is a synthetic table."""
    return TargetFiles.at(path).synthesis.exists()


def open_synthesis(path: str | os.PathLike[str]) -> Synthesis:
    """Read a synthetic table and the file beside it; see `Synthesis.open`."""
    target = TargetFiles.at(path)
    if not target.data.is_file():
        raise ReleaseError(f"there is no file {os.fspath(path)!r}. Check the name.")
    side = target.synthesis
    if not side.exists():
        raise ReleaseError(
            f"{str(target.data)!r} has no {side.name} beside it, so it is not known how it was "
            "made. Ask the publisher for it."
        )
    document = _read(read_whole(side), str(side))
    if document["file"]["sha256"] != file_digest(target.data):
        raise ReleaseError(
            f"{str(side)!r} was written for another file than {str(target.data)!r}: their SHA-256 "
            "differ. Either the table was changed after it was made, or one that was to replace it "
            "was interrupted. Ask the publisher for both files, or make the table again."
        )
    kinds = {"data": target.data, "synthesis": side}
    kinds |= {"certificate": target.certificate, "report": target.report}
    kinds |= {"counts": target.beside(COUNTS)}
    files = {kind: file for kind, file in kinds.items() if file.exists()}
    try:
        return _made_of(document, target, files)
    except (*_BROKEN, NoisewrightError) as problem:
        raise ReleaseError(
            f"{str(side)!r} does not describe {str(target.data)!r}: {str(problem).rstrip('.')}. "
            "Ask the publisher for both files again."
        ) from problem


def _read(data: bytes, where: str) -> Any:
    try:
        document = parse_json(data, what=where)
        known = document["format"] == FORMAT and document["version"] == VERSION
        if known:
            str(document["file"]["sha256"])
    except _BROKEN as problem:
        raise ReleaseError(
            f"{where!r} cannot be read: it must hold what `synthesize` writes beside a table. Ask "
            "the publisher for it again."
        ) from problem
    if not known:
        raise ReleaseError(
            f"{where!r} is of the format {document['format']!r}, version {document['version']!r}; "
            f"this program reads {FORMAT!r}, version {VERSION}."
        )
    return document


def _made_of(document: Mapping[str, Any], target: TargetFiles, files: Any) -> Synthesis:
    spaces = {
        name: read_space(document["spaces"][name], points)
        for name, points in document["columns"].items()
    }
    domain = Records(spaces)
    bins = _bins(document, domain)
    asked = document["workload"]
    unit, rows = document["spent"]["unit"], document["rows_per_person"]
    read = Declared.of(target.data, fields_of(domain, document.get("split", {})))
    claims = document["guarantee"]
    guarantee = Guarantee(exactly(claims["epsilon"]), exactly(claims["delta"]))
    spends = tuple(Spend(one["what"], exactly(one["amount"]), unit) for one in document["spends"])
    proof = certificate_beside(target, document["certificate"])
    if proof is not None:
        require_proven(proof, guarantee, rows, spends)
    people = whole_number(document["people"], name="people", least=1)
    measurements = tuple(
        _measurement(one, bins, people, unit, rows) for one in document["measurements"]
    )
    method = document["method"]
    inference = require_fitted(method, document.get("inference", "tree"))
    require_counted(measurements, spends)
    require_joined(measurements, spends, inference)
    require_same_bins(measurements)
    comparisons = tuple(
        _comparison(one, bins.domain, people, unit, rows) for one in document.get("comparisons", ())
    )
    require_compared(comparisons, spends)
    workload = None if asked is None else Workload.from_toml(asked, domain)
    in_bins = None if workload is None else bins.workload(workload)
    run = CountedRun(method, inference, bins, in_bins, spends, measurements, comparisons)
    run.require_possible()
    if proof is not None:
        run.require_certified(proof)
    return Synthesis(
        table=read.read_rows(),
        domain=domain,
        split=read.columns.split,
        _workload=workload,
        method=method,
        people=people,
        guarantee=guarantee,
        spends=spends,
        measurements=measurements,
        comparisons=comparisons,
        errors=_errors(document),
        bins=bins,
        certificate_digest=document["certificate"],
        _certificate=proof,
        is_private=document["private"],
        rows_per_person=rows,
        inference=inference,
        is_accounted=document["accounted"],
        limits=tuple(document["limits"]),
        notes=(*document["limits"], *document.get("remarks", ())),
        knowledge=tuple(document.get("knowledge", ())),
        path=target.data,
        files=files,
    )


def _bins(document: Mapping[str, Any], domain: Records) -> Bins:
    given = document["bins"]
    widths = tuple((name, int(one["points"])) for name, one in given.items())
    if any(one["counted_as"] is not None for one in given.values()):
        return Bins(domain, widths)
    return Bins(domain, widths, most_counted=0)


def _comparison(
    section: Mapping[str, Any], domain: Records, people: int, unit: Any, rows: int
) -> ModelDistance:
    columns = tuple(section["columns"])
    expected = np.array(section["expected"])
    distance = np.array([section["distance"]])
    if expected.dtype.kind != "i" or distance.dtype.kind != "i":
        raise ReleaseError(f"its distance of {columns} is not in whole numbers of 64 bits")
    if len({*columns}) != 2 or len(columns) != 2:
        raise ReleaseError(f"its distance of {columns} is not of two columns")
    if expected.min() < 0:
        raise ReleaseError(f"what it expects of {columns} is below 0")
    # Shares of a model add up to 1, and each cell was moved to the nearest whole number.
    if abs(sum(expected.reshape(-1).tolist()) - people) > expected.size / 2 + _ROUNDING * people:
        raise ReleaseError(f"what it expects of {columns} does not add up to its rows")
    return ModelDistance(
        columns,
        expected.astype(np.int64).reshape(shape_of(domain, columns)),
        int(distance[0]),
        Noise(exactly(section["spent"]), unit, QUERY, rows),
    )


def _measurement(
    section: Mapping[str, Any], bins: Bins, people: int, unit: Any, rows: int
) -> Measurement:
    columns, query = tuple(section["columns"]), section.get("query", "")
    domain, joined = bins.wide, _read_joined(section, bins)
    shape = shape_of(domain, columns)
    cells = None
    if query:
        cells = np.zeros(int(np.prod(shape)), dtype=np.bool_)
        cells[section["cells"]] = True
        cells = cells.reshape(shape)
    counts = np.array(section["counts"])
    if counts.dtype.kind != "i":
        raise ReleaseError(f"its counts of {query or columns} are not all whole numbers of 64 bits")
    sides = zip(columns, shape, strict=True)
    shape = tuple(len(joined[name].starts) if name in joined else size for name, size in sides)
    shape = (1,) if query else shape
    if counts.size != np.prod(shape):
        raise ReleaseError(
            f"it has {counts.size:,} counts of {query or ' × '.join(columns)}, which has "
            f"{np.prod(shape):,} cells"
        )
    counts = counts.astype(np.int64).reshape(shape)
    counts.setflags(write=False)
    noise = Noise(exactly(section["spent"]), unit, QUERY if query else MARGINAL, rows)
    if section.get("adds_up"):
        noise = replace(noise, balanced_cells=counts.size)
        is_cut = max(map(abs, counts.reshape(-1).tolist()), default=0) >= FARTHEST
        whole = people if is_cut else sum(counts.reshape(-1).tolist())
        if noise != noise.on(counts.size) or whole != people:
            raise ReleaseError(f"its counts of {columns} do not add up to its rows, as stated")
    return Measurement(domain, columns, counts, noise, people, query, cells, joined)


def _read_joined(section: Mapping[str, Any], bins: Bins) -> dict[str, JoinedBins]:
    """Return the bins that were counted as one, or refuse what cannot be such."""
    found: dict[str, JoinedBins] = {}
    stated = section.get("joined", {})
    if not isinstance(stated, dict) or not all(isinstance(one, list) for one in stated.values()):
        raise ReleaseError("its joined bins must be lists of their first bins, by column")
    for name, given in stated.items():
        codes = [
            whole_number(code, name="the first bin of a joined one", least=0) for code in given
        ]
        is_possible = name in section["columns"] and name in bins.ordered
        size = bins.domain.by_name[name].size if is_possible else 0
        if codes[:1] != [0] or codes != sorted({*codes}) or codes[-1] >= size:
            raise ReleaseError(
                f"its joined bins of {name} are not bins of a numeric column that it counts"
            )
        found[name] = bins.join(name, tuple(codes))
    if found and (len(section["columns"]) < 2 or "query" in section):
        raise ReleaseError("bins are joined where several columns are counted, and only there")
    return found


def _errors(document: Mapping[str, Any]) -> WorkloadErrors:
    parts = tuple(
        PartError(
            one["of"],
            tuple(one["columns"]),
            one["queries"],
            one["expected"],
            one["counted"],
            one["found"],
            one["in_workload"],
            one.get("before"),
        )
        for one in document["errors"]
    )
    bound = document["expected_error"] if document["method"] == "blr" else None
    said = tuple(document.get("remarks", ()))
    return WorkloadErrors(document["method"], document["people"], parts, bound, remarks=said)
