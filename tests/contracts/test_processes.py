"""Fits beside other threads, in child processes, at exit, and where threads are refused."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from quickshiftpp import QuickshiftPP


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,  # a hang ends here
    )


def test_after_a_fork():
    """A child process of one that has used threads uses threads of its own."""
    result = run("""
        import multiprocessing, warnings
        import numpy as np
        from quickshiftpp import QuickshiftPP
        X = np.random.default_rng(0).normal(size=(60_000, 2))
        model = QuickshiftPP(n_jobs=2).fit(X)
        def work():
            assert (QuickshiftPP(n_jobs=2).fit(X).labels_ == model.labels_).all()
            assert (model.tree_.labels(beta=0.5) >= 0).all()
            assert (model.predict(X[:50]) == model.labels_[:50]).all()
        warnings.simplefilter("ignore")
        child = multiprocessing.get_context("fork").Process(target=work)
        child.start()
        child.join(timeout=100)
        print(child.exitcode)
        child.kill()
    """)
    assert result.stdout == "0\n", result.stderr


on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")


@on_linux
def test_no_thread_outlives_a_fit():
    result = run("""
        import os
        import numpy as np
        from quickshiftpp import QuickshiftPP
        X = np.random.default_rng(0).normal(size=(50_000, 2))
        before = len(os.listdir("/proc/self/task"))
        QuickshiftPP(n_jobs=4).fit(X)
        print(len(os.listdir("/proc/self/task")) - before)
    """)
    assert result.stdout == "0\n", result.stderr


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_interpreter_exits_while_a_daemon_thread_fits(n_jobs):
    result = run(f"""
        import threading
        import numpy as np
        from quickshiftpp import QuickshiftPP
        from quickshiftpp._progress import listening
        X = np.random.default_rng(0).normal(size=(500_000, 6))
        searching = threading.Event()
        def fit():
            with listening(lambda stage, fraction: fraction > 0 and searching.set()):
                QuickshiftPP(k=100, n_jobs={n_jobs}).fit(X)
            print("finished")
        threading.Thread(target=fit, daemon=True).start()
        searching.wait()
    """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("work", ["fit", "cut"])
def test_the_interpreter_exits_while_daemon_threads_want_its_lock(work):
    """Threads that come back from native code just when the interpreter ends."""
    result = run(f"""
        import threading, time, warnings
        import numpy as np
        from quickshiftpp import QuickshiftPP
        warnings.simplefilter("ignore")
        X = np.random.default_rng(0).normal(size=(300, 2))
        model = QuickshiftPP(n_jobs=1).fit(X)
        def loop():
            while True:
                model.tree_.labels(0.3) if "{work}" == "cut" else QuickshiftPP(n_jobs=1).fit(X)
        for _ in range(6):
            threading.Thread(target=loop, daemon=True).start()
        end = time.monotonic() + 0.5
        while time.monotonic() < end:  # busy, so that the others wait for the lock
            pass
    """)
    assert (result.returncode, result.stderr) == (0, "")


def test_native_code_while_the_interpreter_exits():
    """It may find that modules are gone, but it does not wait for a lock that nobody gives."""
    result = run("""
        import numpy as np
        from quickshiftpp import _core
        class Last:
            def __del__(self):
                print("begun", flush=True)
                _core.link_roots(self.links, 2)
        last = Last()
        last.links = np.zeros(3, dtype=np.int32)
    """)
    assert (result.returncode, result.stdout) == (0, "begun\n")


@pytest.mark.parametrize("threads", ["5000", "99999999999", "0", "-3", "many", "2,1"])
def test_any_number_of_threads_in_the_environment(threads):
    result = run(f"""
        import os
        os.environ["OMP_NUM_THREADS"] = "{threads}"
        import numpy as np
        from quickshiftpp import QuickshiftPP
        print(len(QuickshiftPP().fit(np.random.default_rng(0).normal(size=(300, 2))).labels_))
    """)
    assert result.stdout == "300\n", result.stderr


@on_linux
def test_where_the_system_refuses_threads():
    """The work goes on with the threads there are."""
    result = run("""
        import os, resource
        import numpy as np
        from quickshiftpp import QuickshiftPP
        X = np.random.default_rng(0).normal(size=(50_000, 2))
        labels = QuickshiftPP(n_jobs=1).fit(X).labels_
        if os.getuid() == 0:  # the limit does not hold for root
            os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        print((QuickshiftPP(n_jobs=4).fit(X).labels_ == labels).all())
    """)
    assert result.stdout == "True\n", result.stderr


def test_many_threads_with_estimators_of_their_own_and_with_one():
    """Fits, cuts and predictions at the same time do not disturb each other."""
    rng = np.random.default_rng(0)
    data = [rng.normal(size=(3000, d)) for d in (1, 2, 5, 20)]
    expected = [QuickshiftPP(n_jobs=1).fit(X) for X in data]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(8):
                which = (number + i) % len(data)
                X, shared = data[which], expected[which]
                own = QuickshiftPP(n_jobs=2, algorithm=("auto", "cascade")[i % 2]).fit(X)
                np.testing.assert_array_equal(own.labels_, shared.labels_)
                np.testing.assert_array_equal(shared.predict(X), shared.labels_)
                np.testing.assert_array_equal(
                    shared.tree_.labels(shared.beta_, min_cluster_size=shared.k_), shared.labels_
                )
                np.testing.assert_array_equal(shared.parents_, own.parents_)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no isolated interpreters to test with")
def test_a_subinterpreter_is_refused():
    """An interpreter with a lock of its own gets an ImportError, no crash."""
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    result = run(f"""
        import {module} as interpreters
        other = interpreters.create()
        try:
            problem = interpreters.run_string(other, "import quickshiftpp")
        except Exception as error:
            problem = error
        print("ImportError" in str(problem), problem)
    """)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("True"), result.stdout


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_processes(method, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        textwrap.dedent(f"""
            import multiprocessing
            import numpy as np
            from quickshiftpp import QuickshiftPP
            def labels(seed):
                return QuickshiftPP().fit(np.random.default_rng(seed).normal(size=(500, 2))).labels_
            if __name__ == "__main__":
                with multiprocessing.get_context("{method}").Pool(2) as pool:
                    found = pool.map(labels, range(4))
                print(all((labels(i) == found[i]).all() for i in range(4)))
        """)
    )
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.stdout == "True\n", result.stderr


def test_fits_leave_the_threads_of_blas_alone():
    """Neither during nor after fits at the same time; the cascade multiplies matrices itself."""
    result = run("""
        import threading
        import numpy as np
        from threadpoolctl import threadpool_info, threadpool_limits
        from quickshiftpp import QuickshiftPP
        def blas():
            return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        X = np.random.default_rng(0).normal(size=(3000, 60))
        with threadpool_limits(3, user_api="blas"):
            before, seen = blas(), []
            fit = lambda: QuickshiftPP(n_jobs=1, algorithm="cascade").fit(X)
            threads = [threading.Thread(target=fit) for _ in range(4)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                seen.append(blas())
            print(all(now == before for now in [*seen, blas()]))
    """)
    assert result.stdout == "True\n", result.stderr
