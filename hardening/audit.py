"""Ask the database of vulnerabilities about the installed packages, if it can be reached.

Exit status 1 if it knows of one. Without a network, or behind a mirror that has no such database,
nothing was looked up: then a line says so, and nothing is claimed.
"""

import json
import subprocess
import sys

PATIENCE = 180  # seconds


def audited(report: str) -> tuple[int, list[str], list[str]]:
    """Return how many packages were looked up, which were not, and what is known of them.

    Examples
    --------
    >>> audited('{"dependencies": [{"name": "a", "skip_reason": "not found"}]}')
    (0, ['a'], [])
    """
    packages = json.loads(report)["dependencies"]
    skipped = [one["name"] for one in packages if "skip_reason" in one]
    known = [
        f"{one['name']} {one['version']}: {found['id']}, mended in {found['fix_versions']}"
        for one in packages
        for found in one.get("vulns", ())
    ]
    return len(packages) - len(skipped), skipped, known


def main() -> int:
    """Return the exit status."""
    command = [sys.executable, "-m", "pip_audit", "--local", "--skip-editable", "--format", "json"]
    command += ["--progress-spinner", "off", "--timeout", "15"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        count, skipped, known = audited(done.stdout)
    except (subprocess.TimeoutExpired, ValueError, LookupError):
        print("audit: skipped, the database of vulnerabilities cannot be reached")
        return 0
    if count == 0:
        print(f"audit: skipped, none of {len(skipped)} packages could be looked up")
        return 0
    print(f"audit: {count} packages looked up, {len(known)} vulnerabilities known")
    if skipped:
        print(f"audit: not looked up: {', '.join(skipped)}")
    for one in known:
        print(f"audit: {one}")
    return bool(known)


if __name__ == "__main__":
    sys.exit(main())
