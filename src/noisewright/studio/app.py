"""The routes of the studio: JSON in, JSON out, one for each thing that a page can do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, final

from fastapi import Body, Depends, FastAPI, Query, Request
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field as Given

from noisewright.studio import budgets, declaring, designing, spending, workbench
from noisewright.studio.choosing import AdviceDesk, Study
from noisewright.studio.designing import StudioDesign
from noisewright.studio.failures import RefusalError, register_failures
from noisewright.studio.folder import StudioFolder, without_password
from noisewright.studio.jobs import JobShelf
from noisewright.studio.users import StudioUser
from noisewright.studio.work_requests import WorkRequest, python_code, shell_code
from noisewright.version import __version__

STATIC = Path(__file__).parent / "static"
_DOWNLOAD = {"content-disposition": "attachment"}


def visitor(request: Request) -> StudioUser:
    """Return whom the guard let in; without one there is nobody, and no answer."""
    return request.scope["user"]


Visitor = Annotated[StudioUser, Depends(visitor)]


class AdviceRequest(BaseModel):
    """A table with a plan, to be advised on at any budget."""

    model_config = ConfigDict(extra="forbid")

    plan: str
    table: declaring.TableChoice | None = None
    rows: int | None = Given(default=None, ge=1, le=10**12)
    epsilon: str = "1"
    delta: str = "1e-9"
    questions: list[str] = Given(default_factory=list[str], max_length=200)


class Confirmation(BaseModel):
    """A yes to what was explained."""

    model_config = ConfigDict(extra="forbid")

    confirmation: str


@final
@dataclass(frozen=True)
class StudioRooms:
    """What the routes share: the folder, the ledger, and what is going on."""

    folder: StudioFolder
    ledger: str
    data: str | None
    desk: AdviceDesk
    jobs: JobShelf
    confirmations: spending.Confirmations

    @property
    def ledger_name(self) -> str:
        """Where the ledger is, as somebody in the folder would type it; without a password."""
        if "://" in self.ledger:
            return without_password(self.ledger)
        path = Path(self.ledger)
        inside = path.is_relative_to(self.folder.root)
        return str(path.relative_to(self.folder.root)) if inside else str(path)

    @classmethod
    def of(cls, folder: StudioFolder, *, ledger: str, data: str | None = None) -> StudioRooms:
        """Open the rooms of a folder."""
        desk, jobs = AdviceDesk(folder.state), JobShelf(folder, ledger=ledger)
        return cls(folder, ledger, data, desk, jobs, spending.Confirmations())


def make_app(rooms: StudioRooms) -> FastAPI:
    """Return the application, without its guard."""
    app = FastAPI(
        title="Noisewright studio",
        version=__version__,
        openapi_url="/api/openapi.json",
        # The pages that FastAPI offers for these load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    register_failures(app, root=str(rooms.folder.root))
    _add_data_routes(app, rooms)
    _add_choice_routes(app, rooms)
    _add_work_routes(app, rooms)
    _add_other_routes(app, rooms)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=STATIC))
    return app


def _add_data_routes(app: FastAPI, rooms: StudioRooms) -> None:
    folder = rooms.folder

    @app.get("/api/state")
    def state(user: Visitor) -> dict[str, Any]:
        """What the studio was started with, the files that it may open, and who asks."""
        return {
            "user": user.name,
            "may": user.may,
            "version": __version__,
            "folder": folder.root.name,
            "data": rooms.data,
            "files": folder.listing(),
            "ledger": rooms.ledger_name,
        }

    @app.post("/api/draft")
    def draft(request: declaring.DraftRequest, user: Visitor) -> dict[str, Any]:
        """Draft a plan from names, types and declarations; no value is read."""
        request.table.require_named(folder, asserted=user.includes("grant"))
        return declaring.describe_draft(request.draft(folder))

    @app.post("/api/plans")
    def plans(request: declaring.SavedPlan, user: Visitor) -> dict[str, Any]:
        """Keep a draft as a plan in the folder."""
        request.table.require_named(folder, asserted=user.includes("grant"))
        return declaring.save_plan(request, folder)

    @app.get("/api/plan")
    def plan(file: Annotated[str, Query(max_length=1000)]) -> Response:
        """Download a plan."""
        text = declaring.read_plan(file, folder)
        return Response(text, media_type="application/toml", headers=_DOWNLOAD)

    @app.get("/api/plan/settings")
    def settings(file: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        """What a saved plan says besides its columns, to go on with it."""
        return declaring.reopen_plan(file, folder)


def _add_choice_routes(app: FastAPI, rooms: StudioRooms) -> None:
    @app.post("/api/advice")
    def advise(request: AdviceRequest) -> dict[str, Any]:
        """Begin to predict errors at any budget; no value is read."""
        text = declaring.read_plan(request.plan, rooms.folder)
        rows = request.rows
        if rows is None:
            if request.table is None:
                raise RefusalError("give a table, or the number of rows.")
            rows = declaring.count_people(request.table, request.plan, rooms.folder)
        study = Study(text, rows, tuple(request.questions))
        return rooms.desk.open(study, epsilon=request.epsilon, delta=request.delta)

    @app.post("/api/advice/start")
    def warm_up() -> dict[str, bool]:
        """Start the process that predicts, so that the first prediction does not wait for it."""
        rooms.desk.warm_up()
        return {"started": True}

    @app.get("/api/advice/{key}")
    def look(
        key: str,
        epsilon: Annotated[str, Query(max_length=50)],
        delta: Annotated[str, Query(max_length=50)] = "1e-9",
        settle: bool = False,
    ) -> dict[str, Any]:
        """Return what is known at any budget; `settle` has this very budget predicted next."""
        made = rooms.desk.look(key, epsilon=epsilon, delta=delta, settle=settle)
        if made is None:
            raise RefusalError(
                "these predictions are no longer cached; choose the plan again.", status=404
            )
        return made


def _add_work_routes(app: FastAPI, rooms: StudioRooms) -> None:
    @app.post("/api/explain")
    def explain(request: WorkRequest, user: Visitor) -> dict[str, Any]:
        """Say what would be spent; returns a confirmation, which starts it once."""
        if request.without_ledger and user.name is not None:
            raise RefusalError(
                "a team accounts for everything it releases: leave without_ledger out.", status=403
            )
        made = spending.explain(request, rooms.folder, ledger=rooms.ledger, shown=rooms.ledger_name)
        return made | {"confirmation": rooms.confirmations.add(request, user.name)}

    @app.post("/api/jobs")
    def start(request: Confirmation, user: Visitor) -> dict[str, Any]:
        """Start what was confirmed; the same confirmation gives the same job."""
        wanted = rooms.confirmations.take(request.confirmation, user.name)
        if wanted is None:
            # After a restart only the job remembers.
            return _public(rooms.jobs.read(request.confirmation))
        ledger = None if wanted.without_ledger else rooms.ledger
        shown = {
            "shell": shell_code(wanted, ledger=rooms.ledger_name),
            "python": python_code(wanted, ledger=rooms.ledger_name),
        }
        content = {
            "request": wanted.model_dump(),
            "folder": str(rooms.folder.root),
            "code": shown,
            "user": user.name,
        }
        return _public(rooms.jobs.start(request.confirmation, content, ledger=ledger))

    @app.get("/api/jobs")
    def jobs() -> list[dict[str, Any]]:
        """All jobs of this folder, the latest first."""
        return [_public(job) for job in rooms.jobs.all()]

    @app.get("/api/jobs/{name}")
    def job(name: str) -> dict[str, Any]:
        """One job as it stands."""
        return _public(rooms.jobs.read(name))

    @app.get("/api/jobs/{name}/files/{kind}")
    def file(name: str, kind: str) -> FileResponse:
        """Download what a job made."""
        path = rooms.jobs.file(name, kind)
        # A report is a page; as a download it cannot act as a page of the studio.
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")


def _add_other_routes(app: FastAPI, rooms: StudioRooms) -> None:
    @app.get("/api/ledger")
    def ledger() -> dict[str, Any]:
        """Balances, history, and whether the chain holds."""
        return budgets.describe_ledger(rooms.ledger)

    @app.post("/api/ledger")
    def create(user: Visitor) -> dict[str, Any]:
        """Create the ledger."""
        return budgets.create_ledger(rooms.ledger, who=user.author)

    @app.post("/api/ledger/grants")
    def grant(request: budgets.GrantRequest, user: Visitor) -> dict[str, Any]:
        """Grant a budget."""
        return budgets.grant(request, rooms.ledger, rooms.folder, who=user.author)

    @app.post("/api/design")
    def design(request: StudioDesign) -> dict[str, Any]:
        """The best mechanism for few points, its bound and its losses."""
        return designing.find_design(request)

    @app.post("/api/design/prices")
    def prices(request: StudioDesign) -> dict[str, Any]:
        """What each property costs."""
        return designing.find_prices(request)

    @app.get("/api/design/certificate")
    def certificate(request: Annotated[StudioDesign, Query()]) -> Response:
        """The certificate of that mechanism."""
        text = designing.certify_design(request)
        return Response(text, media_type="application/json", headers=_DOWNLOAD)

    @app.post("/api/audit/certificate")
    def check(text: Annotated[str, Body(embed=True)]) -> dict[str, Any]:
        """Prove a certificate again."""
        return workbench.check_text(text)

    @app.post("/api/audit/matrix")
    def matrix(request: workbench.MatrixAudit) -> dict[str, Any]:
        """The least epsilon of a matrix, and a witness."""
        return workbench.audit_matrix(request)


def _public(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job without the paths of this machine."""
    result = job.get("result")
    if result is not None:
        names = {kind: Path(path).name for kind, path in result.get("files", {}).items()}
        result = {key: value for key, value in result.items() if key != "output"} | {"files": names}
    shown = {key: value for key, value in job.items() if key not in ("folder", "ledger")}
    error = job.get("error")
    if error is not None:
        shown["error"] = error.replace(f"{job['folder']}/", "")
    return shown | {"result": result}
