"""Takes a tool id of `sys.monitoring` (PEP 669), of those that no kind of tool has to itself. Python 3.12 and later."""
import sys


def take():
    """Takes a free tool id and returns it; None if there is none."""
    monitoring = sys.monitoring
    tool = next((tool for tool in (4, 3) if monitoring.get_tool(tool) is None), None)
    if tool is not None:
        monitoring.use_tool_id(tool, "proftui")
    return tool
