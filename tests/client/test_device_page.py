"""The example page in Chromium: it chooses on the device, and the service takes its reports."""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import threading
import time

import pytest
import uvicorn
from common import ROOT
from playwright.sync_api import sync_playwright
from real_service import real_service

TASK = {"dimension": 3, "horizon": 1000, "epsilon": 1.0}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def listening(app):
    """Serve an application on a free port; its lifespan is somebody else's."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.slow
def test_the_page_reports_to_the_service(tmp_path):
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    handler = functools.partial(Quiet, directory=str(ROOT / "clients" / "js"))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        page_origin = f"http://localhost:{web.server_port}"
        with (
            real_service(tmp_path, origins=(page_origin,)) as real,
            listening(real.app) as port,
            sync_playwright() as playwright,
        ):
            task, _ = real.tasks.create("headlines", TASK)
            browser = playwright.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            page = browser.new_page(viewport={"width": 400, "height": 700})
            said = []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            service = f"http://localhost:{port}"
            page.goto(f"{page_origin}/example/index.html?service={service}&wait=1")
            page.get_by_role("button", name="Read it").click()
            page.get_by_text("1 sent. Your clicks stay on this device.").wait_for(timeout=60_000)
            assert task.server.reports == 1
            assert page.locator("#headline").text_content() != "Loading"
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            page.get_by_role("button", name="Next").click()
            page.reload()  # the report of the second round is sent by the page that opens later
            deadline = time.monotonic() + 60
            while task.server.reports < 2 and time.monotonic() < deadline:
                page.wait_for_timeout(100)
            assert task.server.reports >= 2
            browser.close()
            assert [each for each in said if "favicon" not in each] == []
        web.shutdown()
