from .certificate import Certificate as Certificate, check as check
from .certify import certify as certify
from .collection import certify_collection as certify_collection
from .groups import certify_groups as certify_groups
from .keys import certify_keys as certify_keys
from .loading import (
    load as load,
    point_label as point_label,
    read_epsilon as read_epsilon,
    read_space as read_space,
)
from .query import certify_query as certify_query
from .rappor import certify_rappor as certify_rappor
from .shuffled import (
    certify_shuffled as certify_shuffled,
    certify_shuffled_rows as certify_shuffled_rows,
)
from .steps import certify_steps as certify_steps
