"""ashe: neuroevolution of poker agents that model and exploit their opponents."""

__version__ = "0.1.0"
