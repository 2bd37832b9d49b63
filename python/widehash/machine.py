"""What this machine can compute on."""

from . import _core, reports
from .record import with_records


def devices() -> reports.DevicesReport:
    """Describe the processor, memory, GPUs and MPI of this machine.

    Does not fail: the notes say what could not be determined.

    Returns
    -------
    DevicesReport
    """
    found = _core.devices()
    return reports.DevicesReport(**with_records(found, cuda=[reports.CudaDevice(**item) for item in found["cuda"]]))
