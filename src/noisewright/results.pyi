from .advice import Advice as Advice
from .certificates import Certificate as Certificate
from .curves import (
    CurveNoise as CurveNoise,
    CurveRelease as CurveRelease,
    DensityNoise as DensityNoise,
    Projection as Projection,
)
from .designs import (
    Comparison as Comparison,
    Derivability as Derivability,
    Design as Design,
    ErrorBound as ErrorBound,
    ErrorReport as ErrorReport,
    PropertyPrices as PropertyPrices,
    SmallestEpsilon as SmallestEpsilon,
)
from .estimation import Estimate as Estimate, Estimates as Estimates
from .ledger import (
    Balance as Balance,
    DataPart as DataPart,
    Fingerprint as Fingerprint,
    LedgerEntry as LedgerEntry,
    Reservation as Reservation,
    RhoBudget as RhoBudget,
)
from .mechanisms import ResponseBounds as ResponseBounds
from .plans import Draft as Draft, PlannedEpsilon as PlannedEpsilon
from .privacy import (
    Audit as Audit,
    AuditWitness as AuditWitness,
    Composition as Composition,
    Profile as Profile,
    ShuffledGuarantee as ShuffledGuarantee,
    Verdict as Verdict,
)
from .queries import (
    Aggregate as Aggregate,
    Answer as Answer,
    Expression as Expression,
    GroupBy as GroupBy,
    JointAnswers as JointAnswers,
    JointPlan as JointPlan,
    PublishedStep as PublishedStep,
    Question as Question,
)
from .releases import (
    Evaluation as Evaluation,
    LinkedSynthesis as LinkedSynthesis,
    Release as Release,
    Synthesis as Synthesis,
    SyntheticTables as SyntheticTables,
)
from .selection import PrivateQuantile as PrivateQuantile, Selection as Selection, TopK as TopK
from .synthetic import (
    Answers as Answers,
    Blr as Blr,
    Measurement as Measurement,
    PartError as PartError,
    Spend as Spend,
    SyntheticRecords as SyntheticRecords,
    WorkloadDistance as WorkloadDistance,
    WorkloadErrors as WorkloadErrors,
)
