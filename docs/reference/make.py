"""Write the reference pages from the code: `.venv/bin/python docs/reference/make.py`.

The tests compare the pages with what this file writes, so they cannot drift from the code.
"""

import inspect
from pathlib import Path

import typer.testing

import noisewright as nw
from noisewright.cli.app import app

HERE = Path(__file__).parent
PACKAGE = Path(str(nw.__file__)).parent

SECTIONS = {
    "Spaces": ("Counts", "Categories", "Subsets", "Interval", "Dates", "Curves", "Records"),
    "Mechanisms": (
        "geometric",
        "explicit_fair",
        "randomized_response",
        "response_bounds",
        "ResponseBounds",
        "discrete_exponential",
        "per_item",
        "laplace",
        "laplace_scale",
        "staircase",
        "uniform",
        "from_matrix",
        "mixture",
        "product",
        "per_person",
        "marginal",
        "properties",
        "Mechanism",
    ),
    "Selection": (
        "exponential",
        "permute_and_flip",
        "noisy_max",
        "Selection",
        "choice_table",
        "top_k",
        "choice_table",
        "TopK",
        "private_quantile",
        "private_median",
        "PrivateQuantile",
        "utility_bound",
        "epsilon_for_utility",
    ),
    "Workloads and synthetic tables": (
        "Workload",
        "Answers",
        "WorkloadDistance",
        "blr",
        "Blr",
        "SyntheticRecords",
        "blr_accuracy",
        "blr_size",
        "synthesize",
        "synthesize_linked",
        "predict_synthesis",
        "Method",
        "LinkedSynthesis",
        "Synthesis",
        "SyntheticTables",
        "pool_estimates",
        "WorkloadErrors",
        "PartError",
        "Measurement",
        "Spend",
        "Evaluation",
    ),
    "Models from private counts": ("PrivateNaiveBayes", "PrivateTree"),
    "Design": (
        "design",
        "Design",
        "loss",
        "epsilon_for",
        "SmallestEpsilon",
        "price_of_properties",
        "PropertyPrices",
        "compare",
        "Comparison",
        "is_derivable",
        "Derivability",
        "error_bound",
        "ErrorBound",
        "error_report",
        "ErrorReport",
        "error_profile",
        "error_histogram",
        "rmse",
        "bias",
        "bias_by_input",
        "binomial",
        "empirical",
    ),
    "Estimation": ("estimate", "Estimate", "Estimates", "expected_error", "PlannedEpsilon"),
    "Curves": (
        "curve_noise",
        "gaussian_process",
        "CurveNoise",
        "CurveRelease",
        "kernel_density",
        "DensityNoise",
        "verify_projections",
        "Projection",
    ),
    "Privacy": (
        "verify",
        "tight_epsilon",
        "tight_delta",
        "profile",
        "sufficient_sets",
        "shuffled",
        "epsilon_before_shuffling",
        "ShuffledGuarantee",
        "Guarantee",
        "Epsilon",
        "Verdict",
        "Profile",
        "audit",
        "Audit",
        "AuditWitness",
    ),
    "Composition": (
        "compose",
        "Composition",
        "ZeroConcentrated",
        "gaussian_rho",
        "basic_composition",
        "advanced_composition",
        "optimal_composition",
        "SanitizedResponse",
        "OutputPerturbation",
    ),
    "Which tool": ("advise", "Advice"),
    "Questions": (
        "Private",
        "Public",
        "col",
        "when",
        "count",
        "count_people",
        "keys",
        "DuckDB",
        "PostgreSQL",
        "Expression",
        "Aggregate",
        "GroupBy",
        "Question",
        "Answer",
        "ask",
        "JointAnswers",
        "plan_together",
        "JointPlan",
        "ContinualCount",
        "PublishedStep",
    ),
    "Local model": tuple(sorted(nw.local.__all__, key=lambda name: (name[0].isupper(), name))),
    "Plans": ("Plan", "Column", "Person", "Wanted", "draft_plan", "Draft"),
    "Releases": ("release", "Output", "Release", "CSV", "Excel"),
    "Ledger": (
        "Ledger",
        "Balance",
        "RhoBudget",
        "Partition",
        "DataPart",
        "Reservation",
        "LedgerEntry",
        "Fingerprint",
    ),
    "Certificates": ("certify", "check", "load", "Certificate"),
    "Randomness": ("SystemSource", "SeededSource"),
}


NAMESPACE_OF = {
    name: place
    for place in (
        "results",
        *(path.stem for path in PACKAGE.glob("*.pyi")),
        "curves",
        "local",
        "models",
    )
    if place != "__init__"
    for name in getattr(nw, place).__all__
    if name not in nw.__all__
}


def api_page() -> str:
    """Return the page of the names that people type."""
    lines = [
        "# Names people type",
        "",
        "Everything below is under `nw` once you `import noisewright as nw`: `geometric` is",
        "`nw.geometric`, `select.top_k` is `nw.select.top_k`. This page is made from the code by",
        "`docs/reference/make.py`.",
    ]
    for section, names in SECTIONS.items():
        lines += ["", f"## {section}"]
        for name in names:
            lines += ["", *entry(name)]
    return "\n".join(lines) + "\n"


def entry(name: str) -> list[str]:
    """Return the lines about one name: signature, docstring and, for a class, its members."""
    place = NAMESPACE_OF.get(name)
    thing = getattr(getattr(nw, place) if place else nw, name)
    name = f"{place}.{name}" if place else name
    lines = [f"### `{name}`", "", "```text", signature(name, thing), "```", "", doc(thing)]
    if inspect.isclass(thing):
        ours = [one for one in inspect.getmro(thing) if one.__module__.startswith("noisewright")]
        names = dict.fromkeys(key for one in ours for key in vars(one) if not key.startswith("_"))
        members = [(key, getattr(thing, key)) for key in names]
        # A default value has no docstring but that of its type.
        own = [(k, m) for k, m in members if inspect.getdoc(m) not in (None, type(m).__doc__)]
        rows = [(key, first_sentence(member)) for key, member in own]
        if rows:
            lines += ["", "| member | what it is |", "|---|---|"]
            lines += [f"| `{key}` | {text} |" for key, text in rows]
    return lines


def signature(name: str, thing: object) -> str:
    """Return the call as one would write it, without the annotations."""
    if inspect.isclass(thing) and inspect.isabstract(thing):
        return name
    parameters = inspect.signature(thing).parameters.values()  # pyright: ignore[reportArgumentType]
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters if p.name != "self"]
    return f"{name}{inspect.Signature(plain)}"


def doc(thing: object) -> str:
    """Return the docstring as Markdown."""
    return (
        (inspect.getdoc(thing) or "")
        .replace("\nRequires:", "\n*Requires:*")
        .replace("\nEnsures:", "\n*Ensures:*")
    )


def first_sentence(member: object) -> str:
    """Return the first line of a member's docstring, safe inside a table."""
    return (inspect.getdoc(member) or "").splitlines()[0].replace("|", "\\|")


def cli_page() -> str:
    """Return the page of the command line, from its own help texts."""
    lines = [
        "# Command line",
        "",
        "Exit codes: 0 it holds, 1 it does not hold, 2 the input cannot be used, 130 interrupted.",
        "This page is made from `--help` by `docs/reference/make.py`.",
    ]
    verbs = [command.name or "" for command in app.registered_commands]
    verbs += ["design", "design counts", "design categories", "design subsets"]
    verbs += ["bound", "bound interval"]
    ledger = ("create", "grant", "show", "history", "export", "verify", "waste")
    verbs += ["ledger", *(f"ledger {verb}" for verb in ledger)]
    continual = ("predict", "create", "add", "show")
    verbs += ["continual", *(f"continual {verb}" for verb in continual)]
    verbs += [
        "collect",
        *(f"collect {verb}" for verb in ("plan", "report", "simulate", "estimate")),
    ]
    for verb in ("", *verbs, "design curve"):
        title = f"noisewright {verb}".strip()
        lines += ["", f"## `{title}`", "", "```text", help_text(verb), "```"]
    return "\n".join(lines) + "\n"


def help_text(verb: str) -> str:
    """Return a verb's help at a fixed width, without colors."""
    runner = typer.testing.CliRunner(env={"COLUMNS": "90", "TERM": "dumb", "NO_COLOR": "1"})
    arguments = [*verb.split(), "--help"]
    output = runner.invoke(app, arguments, prog_name="noisewright").output
    return "\n".join(line.rstrip() for line in output.strip().splitlines())


PAGES = {"api.md": api_page, "cli.md": cli_page}


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
