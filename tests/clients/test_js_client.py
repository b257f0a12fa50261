"""The JavaScript client of devices: the same numbers, and reports that the server takes."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import queue
import re
import shutil
import subprocess
import threading

import numpy as np
import pytest
from common import ROOT

from discreet import Device, DiscreetError, LocalServer

CLIENT = ROOT / "clients" / "js"
PROGRAMS = {"node": "nodejs", "chromium": "chromium"}  # and Debian's packages
node = pytest.mark.parametrize("program", ["node"], indirect=True)
chromium = pytest.mark.parametrize("program", ["chromium"], indirect=True)


@pytest.fixture
def program(request):
    """Return the path of a program, or leave the test out."""
    found = shutil.which(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed (Debian: {PROGRAMS[request.param]})")
    return found


def test_vectors_are_those_of_now():
    spec = importlib.util.spec_from_file_location("make_vectors", CLIENT / "make_vectors.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert json.loads(maker.PLACE.read_text()) == json.loads(json.dumps(maker.vectors()))


@node
def test_its_own_tests_pass(program):
    files = sorted(str(path) for path in CLIENT.glob("test/*.test.js"))
    done = subprocess.run(
        [program, "--test", *files], cwd=CLIENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"# pass (\d+)", done.stdout).group(1)) >= 12


@node
@pytest.mark.parametrize("name", ["local-greedy", "local-linucb"])
def test_it_chooses_as_python_does_and_the_server_learns_from_its_reports(program, name):
    """Contexts are random, so no two arms tie; 60 models, the later ones learned."""
    terms = {"algorithm": name, "dimension": 3, "epsilon": 2.0, "low": -1.0, "high": 3.0}
    server = LocalServer(horizon=1000, **terms)
    device, rng = Device(**terms), np.random.default_rng(1)
    lines, chosen = [], []
    for number in range(60):
        contexts = rng.normal(size=(4, 3)) / 4.0
        contexts /= np.maximum(1.0, np.linalg.norm(contexts, axis=1, keepdims=True))
        model = server.model()
        device.update(model)
        chosen.append(device.choose(contexts))
        server.receive(device.report(float(rng.uniform(-1.0, 3.0))))
        line = {"model": model.hex(), "contexts": contexts.tolist(), "reward": 2.5}
        lines.append(line if number else {"terms": terms, **line})
    done = subprocess.run(
        [program, "test/talk.js"],
        cwd=CLIENT,
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["arm"] for answer in answers] == chosen
    assert len(set(chosen)) > 1
    for count, answer in enumerate(answers, 61):
        assert server.receive(bytes.fromhex(answer["report"])) == count


@chromium
def test_it_works_in_a_browser_under_a_strict_policy(program, tmp_path):
    """IndexedDB holds rounds; two tabs draw one report; 409 says that a report came before."""
    server, said = LocalServer(dimension=3, horizon=1000, epsilon=1.0), queue.Queue()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def end_headers(self):
            policy = "default-src 'none'; script-src 'self'; connect-src 'self'"
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def do_GET(self):
            if self.path == "/model":
                self.reply(200, server.model())
            else:
                super().do_GET()

        def do_POST(self):
            content = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/result":
                said.put(content.decode())
                return self.reply(200, b"")
            try:
                self.reply(200, str(server.receive(content)).encode())
            except DiscreetError:
                self.reply(409, b"")

        def reply(self, status, content):
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    handler = functools.partial(Handler, directory=str(CLIENT))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        browser = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                f"--user-data-dir={tmp_path}",
                f"http://localhost:{web.server_port}/test/browser.html",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            words = said.get(timeout=300)
        finally:
            browser.kill()
            browser.wait()
            web.shutdown()
    assert re.fullmatch(r"\d+ vectors, 0 problems: ", words)
    assert server.reports == 2
