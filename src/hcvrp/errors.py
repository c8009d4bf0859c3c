"""The one exception for bad input: a sentence naming the field and the value."""

from typing import Literal, TypeAlias

Code: TypeAlias = Literal[
    "invalid",
    "unclear-columns",
    "vehicles-not-stops",
    "stops-not-vehicles",
    "fleet-missing",
    "fleet-too-small",
]
"""What is wrong, for programs: words are for people, and change. docs/service.md explains them."""


class InputError(ValueError):
    """Bad input, said in one sentence that names the field and the value.

    The command line prints it and exits with 2; the service answers 4xx with it. `advice` ends the
    sentence and tells what to type; whoever uploads files instead is told `upload`.
    """

    def __init__(
        self, sentence: str, *, code: Code = "invalid", advice: str = "", upload: str = ""
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.advice = advice
        self.upload = upload

    @property
    def sentence(self) -> str:
        """The words without the advice; whoever knows the place better may put it before them."""
        return str(self.args[0])

    @sentence.setter
    def sentence(self, words: str) -> None:
        self.args = (words,)

    def __str__(self) -> str:
        return f"{self.sentence}: {self.advice}" if self.advice else self.sentence
