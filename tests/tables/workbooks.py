"""Small workbooks, written as Excel writes them: XML in a ZIP file."""

import datetime
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DAYS = '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/></numFmts>'


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    """Write sheets of rows; None is an empty cell, and dates have the format of dates."""
    numbers = range(1, len(sheets) + 1)
    with zipfile.ZipFile(path, "w") as file:

        def put(name: str, text: str) -> None:
            file.writestr(name, _HEAD + text)

        parts = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
            f'ContentType="{_TYPE}.worksheet+xml"/>'
            for n in numbers
        )
        put(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
            f"{parts}</Types>",
        )
        put(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r0" '
            f'Type="{_RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>'
            for n, name in zip(numbers, sheets, strict=True)
        )
        put(
            "xl/workbook.xml",
            f'<workbook {_MAIN} xmlns:r="{_RELATION}"><sheets>{listed}</sheets></workbook>',
        )
        related = "".join(
            f'<Relationship Id="r{n}" Type="{_RELATION}/worksheet" '
            f'Target="worksheets/sheet{n}.xml"/>'
            for n in numbers
        )
        styles = f'<Relationship Id="s" Type="{_RELATION}/styles" Target="styles.xml"/>'
        put(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{related}{styles}</Relationships>',
        )
        put(
            "xl/styles.xml",
            f'<styleSheet {_MAIN}>{_DAYS}<fonts count="1"><font/></fonts>'
            '<fills count="1"><fill/></fills>'
            '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
            '<cellXfs count="2"><xf/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs>'
            "</styleSheet>",
        )
        for n, rows in zip(numbers, sheets.values(), strict=True):
            lines = "".join(
                f'<row r="{r}">{"".join(_cell(value, r, c) for c, value in enumerate(row))}</row>'
                for r, row in enumerate(rows, start=1)
            )
            put(
                f"xl/worksheets/sheet{n}.xml",
                f"<worksheet {_MAIN}><sheetData>{lines}</sheetData></worksheet>",
            )
    return path


def _cell(value: Any, row: int, column: int) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, datetime.datetime):
        days = (value - datetime.datetime(1899, 12, 30)) / datetime.timedelta(days=1)
        return f'<c r="{place}" s="1"><v>{days!r}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
