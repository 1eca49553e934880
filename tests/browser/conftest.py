"""One JupyterLab, started as a student starts it but in a throwaway copy, and one browser for all tests."""

import os

import pytest

from tests.browser.server import copy_sources, jupyterlab

# Set by `python -m minigpt browser`; all other runs of the tests leave this folder out.
BROWSER = os.environ.get("MINIGPT_BROWSER")
collect_ignore_glob = [] if BROWSER else ["test_*.py"]

LAPTOP = {"width": 1366, "height": 768}
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address, token and folder of a running JupyterLab."""
    folder = tmp_path_factory.mktemp("browser")
    copy = folder / "año uno"
    copy_sources(copy)
    with jupyterlab(copy, folder / "jupyter") as running:
        yield running


@pytest.fixture(scope="session")
def playwright():
    """One for all: two at a time in one thread get into each other's way."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright, tmp_path_factory):
    """Chromium with a profile of its own."""
    context = playwright.chromium.launch_persistent_context(
        str(tmp_path_factory.mktemp("profile")), executable_path=BROWSER, headless=True, args=FLAGS,
        viewport=LAPTOP, timeout=120_000)
    yield context
    context.close()


@pytest.fixture(scope="session")
def chromium(playwright):
    """Chromium whose visitors have never been here: each opens a context of its own."""
    started = playwright.chromium.launch(executable_path=BROWSER, headless=True, args=FLAGS, timeout=120_000)
    yield started
    started.close()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.set_viewport_size(LAPTOP)
    page.set_default_timeout(60_000)
    yield page
    page.close()
