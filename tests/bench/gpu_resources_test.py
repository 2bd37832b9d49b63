"""What kernels use of a multiprocessor: the arithmetic and the parser of ptxas's output. Where the build has nvcc, also that no
kernel of the project spills registers to local memory."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["WIDEHASH_SOURCE_DIR"]
BUILD = os.environ["WIDEHASH_BUILD_DIR"]
SCRIPT = os.path.join(SOURCE, "bench", "gpu", "resources.py")

spec = importlib.util.spec_from_file_location("resources", SCRIPT)
resources = importlib.util.module_from_spec(spec)
spec.loader.exec_module(resources)

PTXAS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN8widehash4cuda12_GLOBAL__N_19sum_partsEPKfmmPf' for 'sm_90'
ptxas info    : Function properties for _ZN8widehash4cuda12_GLOBAL__N_19sum_partsEPKfmmPf
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 29 registers, used 1 barriers, 4096 bytes smem, 384 bytes cmem[0]
ptxas info    : Compiling entry function '_ZN8widehash4cuda12_GLOBAL__N_116transpose_kernelItEEvPKT_mjmPS3_' for 'sm_90'
ptxas info    : Function properties for _ZN8widehash4cuda12_GLOBAL__N_116transpose_kernelItEEvPKT_mjmPS3_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 23 registers, 384 bytes cmem[0]
"""


class Occupancy(unittest.TestCase):
    # Worked out by hand: every multiprocessor here has 65,536 registers, 64 warps and 32 blocks.
    def test_registers_limit_it(self):
        # 40 registers per thread are 1280 per warp: 51 warps fit, rounded down to a multiple of four, 48.
        self.assertEqual(resources.occupancy("90", 256, 40, 0), (48, 64, "registers"))

    def test_shared_memory_limits_it(self):
        # 97 KiB with the system's share fit twice in 228 KiB and once in 164 KiB.
        self.assertEqual(resources.occupancy("90", 512, 32, 96 * 1024), (32, 64, "shared memory"))
        self.assertEqual(resources.occupancy("80", 512, 32, 96 * 1024), (16, 64, "shared memory"))

    def test_small_blocks_are_limited_by_their_number(self):
        self.assertEqual(resources.occupancy("90", 32, 16, 0), (32, 64, "blocks"))

    def test_nothing_limits_a_small_kernel(self):
        self.assertEqual(resources.occupancy("100", 256, 32, 0)[:2], (64, 64))


class Reading(unittest.TestCase):
    def kernels(self):
        kernels = resources.kernels_of(PTXAS)
        for kernel in kernels:
            kernel.update(source="a.cu", name=resources.readable(kernel["symbol"]))
        return [resources.with_occupancy(kernel) for kernel in kernels]

    def test_registers_shared_memory_and_spills_are_those_of_their_kernel(self):
        first, second = self.kernels()
        self.assertEqual((first["registers"], first["shared"], first["spill_stores"], first["spill_loads"]), (29, 4096, 12, 8))
        self.assertEqual((second["registers"], second["shared"], second["spill_stores"]), (23, 0, 0))

    def test_names_are_those_of_the_source(self):
        self.assertEqual([kernel["name"] for kernel in self.kernels()], ["sum_parts", "transpose_kernel<u16>"])

    def test_a_spill_is_a_fault_and_so_is_a_launch_that_nobody_wrote_down(self):
        spilled, clean = self.kernels()
        self.assertEqual(resources.faults([clean]), [])
        self.assertIn("sum_parts keeps 20 bytes", resources.faults([spilled, clean])[0])
        unknown = resources.with_occupancy({**clean, "name": "new_kernel"} | {"warps": 0})
        unknown.pop("warps")
        self.assertIn("new_kernel is not in LAUNCHES", resources.faults([unknown])[0])
        self.assertTrue(resources.faults([]))

    def test_without_a_build_it_is_skipped_aloud(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 77)
        self.assertIn("SKIPPED", done.stderr)


class Kernels(unittest.TestCase):
    def setUp(self):
        file = os.path.join(BUILD, "compile_commands.json")
        self.sources = resources.commands(BUILD) if os.path.exists(file) else {}
        if not self.sources:
            self.skipTest("the build has no CUDA: there is no nvcc to ask")

    def test_none_keeps_registers_in_local_memory(self):
        rows = resources.measure(BUILD, ["90"])
        self.assertEqual(resources.faults(rows), [])
        self.assertEqual({os.path.basename(source) for source in self.sources}, {row["source"] for row in rows})

    def test_a_kernel_with_too_few_registers_is_seen_to_spill(self):
        source = next(source for source in self.sources if source.endswith("layers.cu"))
        with tempfile.TemporaryDirectory() as folder:
            text = resources.compile_one(source, *self.sources[source], "90", folder, "-maxrregcount=24")
        self.assertTrue(any(kernel["spill_stores"] > 0 for kernel in resources.kernels_of(text)))


if __name__ == "__main__":
    unittest.main()
