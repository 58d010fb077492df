from .bases import KERNELS as KERNELS
from .calibration import curve_noise as curve_noise, gaussian_process as gaussian_process
from .certificate import certified_noise as certified_noise
from .coordinates import Coordinates as Coordinates, in_basis as in_basis
from .curve_release import Band as Band, CurveRelease as CurveRelease
from .density import DensityNoise as DensityNoise, kernel_density as kernel_density
from .noise import CurveNoise as CurveNoise
from .projections import Projection as Projection, verify_projections as verify_projections
