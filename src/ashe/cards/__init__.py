"""Cards: numbers and names, the hand evaluator, exact equities, board texture, and random numbers by key.

`deck` and `random` come first, `rank` evaluates, `equity` answers for one holding, `knowledge` for many decks at once.
"""
