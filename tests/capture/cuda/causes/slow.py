"""Takes some time to import."""

import time

time.sleep(0.03)
