"""What the benchmarks and the experiments share when they report results.

``store`` keeps results as JSON files, so that an interrupted run resumes; ``tables`` formats
numbers and writes Markdown tables, for pages and for the console; ``style`` is the look of figures;
``verdicts`` says whether a measured value meets what is required of it.
"""
