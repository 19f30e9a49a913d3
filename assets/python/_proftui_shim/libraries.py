"""Reports the folders of Python packages that contain CUPTI to the agent, which loads CUPTI when the program calls CUDA."""
import os

from _proftui import libraries

from .cupti_folders import folders


def report():
    """Reports the folders, if GPUs are recorded."""
    if os.environ.get("CUDA_INJECTION64_PATH"):
        libraries(os.pathsep.join(folders()))
