"""Ask the database of vulnerabilities about the installed packages, if it can be reached.

Exit status 1 if it knows of one; without a network there is a note, and nothing else.
"""

import subprocess
import sys

UNREACHABLE = [
    *("ConnectionError", "Max retries", "NameResolution", "timed out", "HTTPError"),
    *("ServiceError", "ProxyError", "SSLError"),
]


def main() -> int:
    """Return the exit status."""
    command = [sys.executable, "-m", "pip_audit", "--local", "--skip-editable"]
    command += ["--progress-spinner", "off", "--timeout", "15"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        print("audit: skipped, the database of vulnerabilities does not answer")
        return 0
    print(done.stdout, end="")
    if done.returncode != 0 and not done.stdout and any(e in done.stderr for e in UNREACHABLE):
        print("audit: skipped, the database of vulnerabilities cannot be reached")
        return 0
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
