"""ASHE agents: compositions of features, estimators and decision rules."""
