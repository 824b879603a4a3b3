"""Stage 3: the estimators, in scikit-learn's interface."""
