"""Compiling, caching and doing without the C++ kernel."""

import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from kernel_samples import samples

from ashe.errors import UserError
from ashe.estimators.kernels import binding, build, have_kernel

needs_kernel = pytest.mark.skipif(not have_kernel(), reason="no C++ compiler")


def run(arguments, **environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], env={**os.environ, **environment}, capture_output=True, text=True
    )


@needs_kernel
def test_without_a_compiler_numba_gives_the_same_numbers(tmp_path):
    """The numba-callable functions link to either; the notice is one line."""
    script = Path(__file__).with_name("kernel_samples.py")
    done = run([script, tmp_path / "out.npz"], ASHE_CXX="none")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "ashe: no C++ compiler found; the LSTM runs in the slower torch and numba code\n"
    fast = samples()
    with np.load(tmp_path / "out.npz") as slow:
        assert set(slow.files) == set(fast)
        for name, value in fast.items():
            scale = max(1.0, np.abs(value).max())
            np.testing.assert_allclose(slow[name], value, rtol=0, atol=1e-5 * scale, err_msg=name)


def test_modules_use_torch_without_a_compiler():
    code = """
import torch
from ashe.estimators.estimator import SWRE, Estimator
from ashe.errors import UserError
e = Estimator(SWRE, torch.zeros(SWRE.spec().length))
assert not e.use_kernel(torch.zeros(1, 14, 2))
print(float(e(torch.zeros(1, 14, 2), e.initial_state(2))[0].mean()))
e.backend = "kernel"
try:
    e.use_kernel(torch.zeros(1, 14, 2))
except UserError as error:
    print(error)
"""
    done = run(["-c", code], ASHE_CXX="none")
    assert done.stdout.splitlines() == [
        "0.5",
        "backend='kernel': there is no C++ compiler; install one (g++) or use backend='auto'",
    ], done.stderr


def test_a_compiler_that_fails_is_done_without(tmp_path, monkeypatch, capsys):
    refusing = tmp_path / "refusing-c++"
    refusing.write_text("#!/bin/sh\necho 'kernel.cpp:1: no such standard' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("ASHE_CXX", str(refusing))
    monkeypatch.setenv("ASHE_CACHE", str(tmp_path / "cache"))
    assert binding._load() is None
    notice = capsys.readouterr().err
    assert notice.count("\n") == 1
    assert "could not build the LSTM kernel (kernel.cpp:1: no such standard)" in notice
    assert list((tmp_path / "cache" / "kernels").iterdir()) == [], "nothing half-built stays behind"


def test_a_compiler_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("ASHE_CXX", "no-such-compiler")
    with pytest.raises(UserError, match="ASHE_CXX='no-such-compiler' is not a program"):
        build.find_compiler()


@needs_kernel
def test_the_library_is_built_once_and_rebuilt_when_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv("ASHE_CACHE", str(tmp_path))
    library = build.library_path(build.find_compiler(), binding.SUFFIX)
    library.write_bytes(b"\x7fELF, but no more")
    assert binding._load() is not None
    assert [path.name for path in library.parent.iterdir()] == [library.name]
    assert library.stat().st_size > 10_000
    built = library.stat().st_mtime_ns
    assert binding._load() is not None
    assert library.stat().st_mtime_ns == built


@needs_kernel
def test_another_source_compiler_or_interface_gets_a_library_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("ASHE_CACHE", str(tmp_path))
    mine = build.library_path("/usr/bin/c++", "a")
    assert mine == build.library_path("/usr/bin/c++", "a")
    assert mine != build.library_path("/usr/bin/c++", "b")
    assert mine != build.library_path("/opt/c++", "a")
    monkeypatch.setattr(build, "INCLUDED", (build.SOURCE,))
    assert mine != build.library_path("/usr/bin/c++", "a")


@needs_kernel
@pytest.mark.parametrize("flags", [["-mavx2", "-mfma"], []], ids=["avx2", "baseline"])
def test_other_instruction_sets_give_the_same_results(tmp_path, monkeypatch, flags):
    """The 8-lane code of machines without AVX-512 (fused), and that of any machine (not fused: to 1e-5)."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("flags of x86")
    monkeypatch.setattr(build, "FLAGS", (*build.FLAGS, *flags))
    monkeypatch.setattr(build, "NATIVE", ("",))
    assert build.compile_library(build.find_compiler(), binding.SUFFIX, tmp_path / "other.so")
    other = ctypes.CDLL(str(tmp_path / "other.so"))
    rng = np.random.default_rng(1)
    inputs, blocks, size, lanes = 13, 3, 7, 37
    cells = blocks * size
    w = rng.standard_normal(cells * (4 * (inputs + size) + 9), dtype=np.float32)
    x, state = (rng.standard_normal((n, lanes), dtype=np.float32) for n in (inputs, 2 * cells))
    results = []
    for library in (binding._library, other):
        s = state.copy()
        step = getattr(library, f"ashe_lstm_step_{binding.SUFFIX}")
        step.argtypes = getattr(binding._library, f"ashe_lstm_step_{binding.SUFFIX}").argtypes
        y = s[cells:]
        step(w.ctypes.data, inputs, blocks, size, 1, lanes, x.ctypes.data, s.ctypes.data, y.ctypes.data, None)
        results.append(s)
    fused = "fma" in Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else False
    if flags and fused:
        assert (results[0] == results[1]).all()
    np.testing.assert_allclose(results[0], results[1], rtol=0, atol=2e-5)
