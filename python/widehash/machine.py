"""What this machine offers to compute on."""

from . import _core, reports
from .record import with_records


def devices() -> reports.DevicesReport:
    """Looks at the processor, memory, GPUs and MPI. Does not fail: what cannot be found out is said in the notes."""
    found = _core.devices()
    return reports.DevicesReport(**with_records(found, cuda=[reports.CudaDevice(**item) for item in found["cuda"]]))
