"""A report as JUnit XML, which most systems for continuous integration can show."""

import re
from pathlib import Path
from xml.etree import ElementTree

from tests.grader.outcomes import GRADER_ERROR, INCONCLUSIVE, PASSED

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(path: Path, report: dict) -> None:
    """Write the checks of a JSON report as one test suite."""
    checks = report["checks"]
    suite = ElementTree.Element(
        "testsuite", name=f"lab{report['lab']}", tests=str(len(checks)),
        failures=str(sum(_kind(check) == "failure" for check in checks)),
        errors=str(sum(_kind(check) == "error" for check in checks)),
        skipped=str(sum(_kind(check) == "skipped" for check in checks)),
    )
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"lab{report['lab']}.{check['exercise']}", name=_text(check["title"])
        )
        if kind := _kind(check):
            told = ElementTree.SubElement(case, kind, message=_text(f"{check['outcome']}: {check['hint']}"))
            told.text = _text(f"expected {check['expected']}\ngot {check['got']}")
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _kind(check: dict) -> str:
    kinds = {PASSED: "", GRADER_ERROR: "error", INCONCLUSIVE: "skipped"}
    return kinds.get(check["outcome"], "failure")


def _text(text: str) -> str:
    return NOT_IN_XML.sub("�", text)
