"""Item 5: all pairs of five schema versions, killed at random points, and what else goes wrong."""

import re

from show_2.swift import check

LINE = re.compile(
    r"^migration (\d) to (\d): (\d+) kills in \d+ ticks and \d+ bytes, (\d+) old and (\d+) new stores$",
    re.MULTILINE,
)
PAIRS = 10


def show(swift, kills, seed):
    count, text = swift.test(
        "migrations", "VersionPairTests", "MigrationKillTests", "MigrationSafetyTests",
        "MigrationPlanTests", "AttributeMigrationTests", "RelationshipMigrationTests",
        "InheritanceMigrationTests", "StoredFormMigrationTests",
        OPENSWIFTDATA_TEST_MIGRATION_KILLS=str(kills), OPENSWIFTDATA_TEST_MIGRATION_SEED=str(seed),
    )
    lines = LINE.findall(text)
    check(len(lines) == PAIRS, f"{len(lines)} pairs of {PAIRS} were killed")
    short = [f"{a} to {b}" for a, b, number, _, _ in lines if int(number) != kills]
    check(not short, f"fewer kills than {kills}: {', '.join(short)}")
    old, new = (sum(int(line[place]) for line in lines) for place in (3, 4))
    return (
        f"{PAIRS} pairs of 5 versions forward and refused backward; {PAIRS * kills} kills (seed {seed}):"
        f" {old} old and {new} new stores, all whole and completed after; disk full, wrong plans,"
        f" edited versions, several processes: {count} tests"
    )
