"""Settings that all tests share."""

import os

try:
    from hypothesis import settings
except ImportError:  # the tests of imports and threads also run where only pytest is installed
    pass
else:
    # Where continuous integration runs, the same examples every time; at home, new ones.
    settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
    settings.register_profile("home", deadline=None)
    settings.load_profile("ci" if os.environ.get("CI") == "true" else "home")
