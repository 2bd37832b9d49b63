"""What this machine offers to compute on."""

from . import _core, reports


def devices() -> reports.DevicesReport:
    """Looks at the processor, memory, GPUs and MPI. Does not fail: what cannot be found out is said in the notes."""
    found = _core.devices()
    return reports.DevicesReport(**reports.with_records(found, cuda=[reports.CudaDevice(**item) for item in found["cuda"]]))
