"""Runs the tests of the Python package and writes their counts: run.py REPORT.json"""

import json
import pathlib
import sys
import unittest

report = pathlib.Path(sys.argv[1])
suite = unittest.defaultTestLoader.discover(str(pathlib.Path(__file__).parent))
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
counts = {"passed": result.testsRun - failed - skipped, "failed": failed, "skipped": skipped}
report.write_text(json.dumps(counts))
sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
