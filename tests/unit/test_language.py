"""The language of messages."""

import sys

import pytest

from minigpt import language as module
from minigpt.language import language, say


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in ("MINIGPT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("value, expected", [
    ("es", "es"), ("ES", "es"), ("es_ES.UTF-8", "es"), ("es-MX", "es"), (" es ", "es"),
    ("en", "en"), ("En", "en"), ("en_GB.UTF-8", "en"), ("en@euro", "en"),
])
def test_the_setting_wins_over_the_system(monkeypatch, value, expected):
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8" if expected == "es" else "es_ES.UTF-8")
    monkeypatch.setenv("MINIGPT_LANG", value)
    assert language() == expected


@pytest.mark.parametrize("value", ["fr", "esperanto", "spanish", "e", "_es"])
def test_another_setting_is_refused_with_the_way_out_in_both_languages(monkeypatch, value):
    monkeypatch.setenv("MINIGPT_LANG", value)
    with pytest.raises(ValueError) as caught:
        language()
    text = str(caught.value)
    assert f"MINIGPT_LANG={value!r}" in text
    assert "set it to en or es" in text and "usa en o es" in text


@pytest.mark.parametrize("settings, expected", [
    ({}, "en"),
    ({"LANG": "es_AR.UTF-8"}, "es"),
    ({"LANG": "es"}, "es"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
    ({"LANG": "est_EE"}, "en"),
    ({"LANG": "es_ES.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
    ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "es_ES.UTF-8"}, "es"),
    ({"LANG": "es_ES.UTF-8", "LC_ALL": "C"}, "en"),
    ({"LANG": "es_ES.UTF-8", "LC_ALL": "", "MINIGPT_LANG": ""}, "es"),
])
def test_the_system_decides_without_a_setting(monkeypatch, settings, expected):
    monkeypatch.setattr(sys, "platform", "linux")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert language() == expected


@pytest.mark.parametrize("name, expected", [
    ("Spanish_Spain", "es"), ("es_MX", "es"),
    ("Estonian_Estonia", "en"), ("English_United States", "en"), (None, "en"),
])
def test_windows_names_its_locales_in_its_own_way(monkeypatch, name, expected):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(module.locale, "getlocale", lambda: (name, "cp1252"))
    assert language() == expected


def test_say_returns_the_text_of_the_language(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert say(en="lot", es="lote") == "lote"
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert say(en="lot", es="lote") == "lot"
