from .groups.group_designs import GroupDesigns as GroupDesigns, design_groups as design_groups
from .groups.size_design import SizeDesign as SizeDesign, SizePrediction as SizePrediction
