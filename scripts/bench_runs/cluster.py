"""A PostgreSQL server for the benchmarks: a new cluster in a folder, with the settings of a new installation."""

import os
import pathlib
import pwd
import shutil
import subprocess
import sys

PROGRAMS = pathlib.Path("/usr/lib/postgresql")


class Cluster:
    """Runs from `with` to its end."""

    def __init__(self, folder, flush_milliseconds=0):
        """`flush_milliseconds`: the least time that a flush of the server's log takes."""
        self.folder = folder
        self.flush_milliseconds = flush_milliseconds

    def __enter__(self):
        versions = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        if not versions:
            sys.exit("bench: PostgreSQL isn't installed (apt-get install postgresql)")
        self.programs = versions[-1].parent
        self.data = self.folder / "cluster"
        self.data.mkdir()
        if os.geteuid() == 0:
            # PostgreSQL doesn't run as root.
            user = pwd.getpwnam("postgres")
            for place in (self.folder, self.data):
                os.chown(place, user.pw_uid, user.pw_gid)
        self.call("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.data}'\nmax_connections = 200\n"
                "max_wal_size = 4GB\ncheckpoint_timeout = 1h\nautovacuum = off\n"
            )
        self.call("pg_ctl", "-D", self.data, "-l", self.data / "log", "-w", "start", **self.slow_flushes())
        self.url = f"postgresql://postgres@/postgres?host={self.data}"
        os.environ["OPENSWIFTDATA_BENCH_POSTGRES"] = self.url
        return self

    def __exit__(self, *_):
        self.call("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")
        shutil.rmtree(self.data, ignore_errors=True)

    def slow_flushes(self):
        """The environment of a server whose log is flushed as slowly as wanted."""
        if not self.flush_milliseconds:
            return {}
        library = self.data / "slow_flush.so"
        source = pathlib.Path(__file__).with_name("slow_flush.c")
        done = subprocess.run(["clang", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {source.name} can't be compiled")
        return {"LD_PRELOAD": str(library), "FLUSH_MICROSECONDS": str(round(self.flush_milliseconds * 1_000))}

    def call(self, program, *words, **environment):
        command = [str(self.programs / program), *map(str, words)]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
            cwd=self.data, env={**os.environ, **environment},
        )
        if done.returncode != 0:
            sys.exit(f"bench: {program}: {done.stderr.strip()[-500:]}")
