"""The user's own: is to run although the shim's is found first. Puts the stand-in where the agent would be."""
import sys

import _proftui  # noqa: F401

sys.users_own_ran = True
