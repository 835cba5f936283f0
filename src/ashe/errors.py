"""Errors a user can cause and mend: one clear line, exit code 2.

Library code raises `UserError` (or a subclass) with what came, what is allowed and what to do;
the command lines print the message without a traceback (see `ashe.cli`).
"""


class UserError(ValueError):
    """The input is wrong and the message says how to mend it."""


class IllegalActionError(UserError):
    """A player's action breaks the betting rules."""
