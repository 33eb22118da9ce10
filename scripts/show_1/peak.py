"""Runs a command and prints, as JSON, its peak memory in bytes and its time in seconds.

A process of its own: the kernel counts a child's peak from the memory of the process that makes it,
so the measuring one has to be small.
"""

import json
import os
import sys
import time


def main(command):
    begun = time.monotonic()
    child = os.posix_spawn(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    elapsed = time.monotonic() - begun
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}")
    kibibyte = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"peak": usage.ru_maxrss * kibibyte, "seconds": elapsed}))


if __name__ == "__main__":
    main(sys.argv[1:])
