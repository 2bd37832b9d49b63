"""How jobs are watched and ended: callbacks, Ctrl-C, several at once."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import widehash
from flights_kit import JobCase, SCHEMA, contents


class Enough(Exception):
    pass


class Callbacks(JobCase):
    def test_progress_is_reported_to_the_calling_thread_and_reaches_the_end(self):
        table = self.large_table(20)
        jobs = [lambda tell: widehash.transform(SCHEMA, table, self.folder / "data", progress=tell),
                lambda tell: widehash.fit(SCHEMA, table, self.folder / "tables", progress=tell),
                lambda tell: widehash.inspect(table, progress=tell),
                lambda tell: widehash.predict(self.model, table, progress=tell)]
        for job in jobs:
            told = []
            job(lambda progress, told=told: told.append((threading.get_ident(), progress)))
            self.assertEqual({thread for thread, _ in told}, {threading.get_ident()})
            rows = [progress.rows for _, progress in told]
            self.assertEqual(rows, sorted(rows))
            self.assertEqual(rows[-1], 400_000)
            self.assertEqual(told[-1][1].bytes_total, table.stat().st_size)
            self.assertEqual(told[-1][1].fraction, 1)

    def test_epochs_are_reported_to_the_calling_thread_while_the_training_waits(self):
        seen = []

        def on_epoch(epoch):
            begin = time.monotonic()
            time.sleep(0.05)
            seen.append((threading.get_ident(), epoch.epoch, begin, time.monotonic()))

        report = widehash.train(self.data, self.folder / "model", epochs=3, on_epoch=on_epoch)
        self.assertEqual([item[:2] for item in seen], [(threading.get_ident(), epoch) for epoch in [1, 2, 3]])
        # If the training continued during the callback, the next epoch would be reported sooner than it can be trained.
        for (*_, end), (_, _, begin, _), epoch in zip(seen, seen[1:], report.epochs[1:]):
            self.assertGreaterEqual(begin - end, epoch.seconds)

    def test_what_a_callback_raises_comes_out_of_every_job(self):
        table = self.large_table()

        def raise_enough(_):
            raise Enough("enough")

        for job in [lambda: widehash.transform(SCHEMA, table, self.folder / "d", block_bytes=500_000, progress=raise_enough),
                    lambda: widehash.fit(SCHEMA, table, self.folder / "t", progress=raise_enough),
                    lambda: widehash.inspect(table, progress=raise_enough),
                    lambda: widehash.predict(self.model, table, progress=raise_enough),
                    lambda: widehash.verify(self.data, progress=raise_enough),
                    lambda: widehash.audit(self.tables, progress=raise_enough),
                    lambda: widehash.compare(self.tables, self.tables, progress=raise_enough),
                    lambda: widehash.evaluate(self.model, self.test, progress=raise_enough),
                    lambda: widehash.export(self.data, self.folder / "x", format="vw", progress=raise_enough),
                    lambda: widehash.train(self.data, self.folder / "m", progress=raise_enough),
                    lambda: widehash.train(self.data, self.folder / "m2", on_epoch=raise_enough)]:
            with self.assertRaises(Enough) as raised:
                job()
            self.assertEqual(raised.exception.args, ("enough",))

    def test_an_exception_says_in_its_context_how_to_continue(self):
        def stop(_):
            raise Enough

        with self.assertRaises(Enough) as raised:
            widehash.train(self.data, self.folder / "model", epochs=5, checkpoint_every=5, batch_size=512, on_epoch=stop)
        self.assertIsInstance(raised.exception.__context__, widehash.Stopped)
        self.assertTrue((self.folder / "model.checkpoint").exists())

    def test_jobs_may_be_called_from_callbacks(self):
        losses = []

        def judge(epoch):
            losses.append((epoch.valid.log_loss, widehash.evaluate(self.folder / "model", self.test).log_loss))

        widehash.train(self.data, self.folder / "model", epochs=2, valid=self.test, on_epoch=judge)
        self.assertEqual(len(losses), 2)
        self.assertGreater(losses[0][0], losses[1][0])
        for told, found in losses:
            self.assertEqual(told, found)


class Interrupts(JobCase):
    def interrupt_once_it_runs(self, job):
        """Runs `job(started)`, sends a SIGINT shortly after it calls `started`, and requires KeyboardInterrupt soon. Returns the
        exception, or None if the job had already ended, as it may on a loaded machine."""
        started = threading.Event()
        sent = []

        def send():
            self.assertTrue(started.wait(60))
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        has_ended = False
        try:
            job(lambda _: started.set())
            has_ended = True
            started.set()
            sender.join()
            time.sleep(60)  # until the signal is handled
        except KeyboardInterrupt as interrupt:
            error = interrupt
        sender.join()
        self.assertLess(time.monotonic() - sent[0], 10)
        return None if has_ended else error

    def in_time(self, copies, interrupt):
        """Calls interrupt(table) with more and more copies of the flights, until it returns that the signal came in time."""
        for more in (1, 4, 16):
            if interrupt(self.large_table(copies * more)):
                return
        self.fail("every interrupt came too late")

    def test_ctrl_c_stops_transform_and_the_same_call_carries_on(self):
        self.in_time(60, lambda table: self.shards_left_after_an_interrupt(table) > 0)

    def shards_left_after_an_interrupt(self, table):
        """The number of shards that an interrupted `transform` of `table` leaves to the next call. Both calls together give the whole."""
        given = {"block_bytes": 500_000, "threads": 2}
        whole, data = (self.folder / f"{name} {table.stat().st_size}" for name in ["whole", "data"])
        widehash.transform(SCHEMA, table, whole, **given)
        error = self.interrupt_once_it_runs(lambda tell: widehash.transform(SCHEMA, table, data, progress=tell, **given))
        if error is None or (data / "manifest.json").exists():
            return 0
        self.assertIsInstance(error.__context__, widehash.Stopped)
        report = widehash.transform(SCHEMA, table, data, **given)
        self.assertGreater(report.resumed_shards, 0)
        self.assertEqual(contents(data), contents(whole))
        return report.shards - report.resumed_shards

    def test_ctrl_c_stops_train_and_resume_goes_on(self):
        given = {"epochs": 300, "batch_size": 64, "checkpoint_every": 1000, "hidden": [8]}
        widehash.train(self.data, self.folder / "whole", **given)
        error = self.interrupt_once_it_runs(
            lambda tell: widehash.train(self.data, self.folder / "model", on_epoch=tell, **given))
        self.assertIsInstance(error.__context__, widehash.Stopped)
        self.assertTrue((self.folder / "model.checkpoint").exists())
        report = widehash.train(self.data, self.folder / "model", resume=True, **given)
        self.assertLess(len(report.epochs), 300)
        self.assertEqual(contents(self.folder / "model"), contents(self.folder / "whole"))

    def test_ctrl_c_stops_jobs_that_keep_nothing(self):
        for job in [lambda table, tell: widehash.inspect(table, progress=tell, threads=1),
                    lambda table, tell: widehash.predict(self.model, table, progress=tell, threads=1)]:
            self.in_time(100, lambda table, job=job: self.interrupt_once_it_runs(lambda tell: job(table, tell)))

        def fit_stops(table):
            tables = self.folder / f"tables {table.stat().st_size}"
            error = self.interrupt_once_it_runs(lambda tell: widehash.fit(SCHEMA, table, tables, progress=tell, threads=1))
            return error is not None and not (tables / "tables.json").exists()

        self.in_time(100, fit_stops)

    def test_ctrl_c_ends_the_wait_for_a_named_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for job in [lambda: widehash.inspect(pipe), lambda: widehash.predict(self.model, pipe),
                    lambda: widehash.evaluate(self.model, pipe), lambda: widehash.fit(SCHEMA, pipe, self.folder / "tables"),
                    lambda: widehash.transform(SCHEMA, pipe, self.folder / "new")]:
            sender = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            sender.start()
            with self.assertRaises(KeyboardInterrupt) as caught:
                job()
            self.assertIsInstance(caught.exception.__context__, widehash.Stopped)
            sender.join()

    def test_a_signal_that_raises_nothing_stops_nothing(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        report = widehash.train(self.data, self.folder / "model", epochs=3,
                                on_epoch=lambda _: os.kill(os.getpid(), signal.SIGUSR1))
        self.assertEqual((len(seen), len(report.epochs)), (3, 3))


class SideBySide(JobCase):
    def test_jobs_of_several_threads_do_not_disturb_each_other(self):
        given = {"hidden": [4], "epochs": 3}
        widehash.train(self.data, self.folder / "alone", **given)
        table = self.large_table(10)
        widehash.transform(SCHEMA, table, self.folder / "alone data", block_bytes=500_000)
        failures = []

        def run(job):
            try:
                job()
            except BaseException as error:  # reported below
                failures.append(error)

        threads = []
        for i in range(3):
            threads.append(threading.Thread(target=run, args=[
                lambda i=i: widehash.train(self.data, self.folder / f"model{i}", threads=i + 1, **given)]))
            threads.append(threading.Thread(target=run, args=[
                lambda i=i: widehash.transform(SCHEMA, table, self.folder / f"data{i}", block_bytes=500_000, threads=3 - i)]))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for i in range(3):
            self.assertEqual(contents(self.folder / f"model{i}"), contents(self.folder / "alone"))
            self.assertEqual(contents(self.folder / f"data{i}"), contents(self.folder / "alone data"))

    def test_a_job_of_a_daemon_thread_does_not_outlive_the_interpreter(self):
        script = ("import sys, threading, widehash\n"
                  "data, model = sys.argv[1:]\n"
                  "started = threading.Event()\n"
                  "job = lambda: widehash.train(data, model, hidden=[256, 64], batch_size=1, epochs=10, checkpoint_every=10**9,\n"
                  "                             progress=lambda _: started.set())\n"
                  "threading.Thread(target=job, daemon=True).start()\n"
                  "started.wait()\n")
        done = subprocess.run([sys.executable, "-B", "-c", script, self.data, self.folder / "model"], capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Written within the first epoch, because the training was asked to stop and then waited for.
        self.assertTrue((self.folder / "model.checkpoint").exists())
        self.assertFalse((self.folder / "model").exists())

    def test_a_second_training_to_the_same_file_is_refused(self):
        refusals = []

        def again(_):
            with self.assertRaises(widehash.Error) as raised:
                widehash.train(self.data, self.folder / "model")
            refusals.append(raised.exception)

        widehash.train(self.data, self.folder / "model", on_epoch=again)
        self.assertEqual(len(refusals), 1)
        self.assertIn("model", str(refusals[0]))

    def test_other_threads_of_python_run_on(self):
        table = self.large_table()
        ticks = []
        done = threading.Event()

        def tick():
            while not done.wait(0.005):
                ticks.append(time.monotonic())

        ticker = threading.Thread(target=tick)
        ticker.start()
        begin = time.monotonic()
        widehash.fit(SCHEMA, table, self.folder / "tables", threads=1)
        end = time.monotonic()
        done.set()
        ticker.join()
        within = [moment for moment in ticks if begin < moment < end]
        self.assertGreater(len(within), (end - begin) / 0.1)


if __name__ == "__main__":
    unittest.main()
