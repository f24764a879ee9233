"""What an app itself says against an outcome: “Not sent” under a message, “保存失败” where something was to be saved.

The text that a test expects may stand on the screen all the same, so evidence alone does not tell. Such words count only where
the run brought them about: they are new against every earlier look of this screen, and goal and expectations do not name them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from pytest_layered_phone.planning.evidence.newness import grown_since
from pytest_layered_phone.planning.evidence.normalise import normalise
from pytest_layered_phone.planning.evidence.objections import meant, says_no, says_not_yet
from pytest_layered_phone.planning.evidence.places import same_screen
from pytest_layered_phone.planning.evidence.screen import Screen
from pytest_layered_phone.planning.history import RunHistory


def setback(screen: Screen, history: RunHistory, spared: Collection[str]) -> str:
    """The text with which the app says that something was not done, or not yet; empty where it says neither, or did before.

    Args:
        spared: what the test asks for and what speaks for it; a text in there is no setback.
    """
    return _objection(screen, history, spared, lambda text: says_no(text) or says_not_yet(text))


def still_open(screen: Screen, history: RunHistory, spared: Collection[str]) -> str:
    """The text with which the app says that something is still to be done; empty where it says no such thing, or did before."""
    return _objection(screen, history, spared, says_not_yet)


def _objection(screen: Screen, history: RunHistory, spared: Collection[str], objects: Callable[[str], bool]) -> str:
    told = [normalise(each) for each in spared]

    def counts(raw: str) -> bool:
        return objects(raw) and not any(normalise(raw) in each for each in told) and not meant(raw, " ".join(told))

    earlier = [look for entry in history.before_actions() if same_screen(look := Screen(entry.observation), screen)]
    for raw in screen.transients:
        if counts(raw):
            return raw
    for fragment in screen.texts if earlier else ():
        if counts(fragment.raw) and grown_since(earlier, screen, fragment.raw):
            return fragment.raw
    return ""
