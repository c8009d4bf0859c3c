"""The one exception for bad input: a sentence naming the field and the value."""


class InputError(ValueError):
    """Bad input, said in one sentence that names the field and the value.

    The command line prints it and exits with 2; the service answers 4xx with it.
    """
