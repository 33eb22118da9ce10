"""A sync server and its clients as processes."""

import json
import subprocess

from show_2.swift import check


class Service:
    """A `sync-service` that can be killed and started again where it was."""

    def __init__(self, program, work, users=0):
        self.program, self.work, self.users = program, work, users
        self.port, self.process = 0, None

    def start(self):
        self.process = subprocess.Popen(
            [str(self.program), str(self.work / "server.store"), str(self.port), str(self.users)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=open(self.work / "service.log", "ab"), text=True,
        )
        line = self.process.stdout.readline()
        check(line.startswith("listening on "), f"the server doesn't start: {line.strip() or 'no line'}")
        self.port = int(line.split()[2])
        return self

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


class Client:
    """A `sync-client` on a store of its own."""

    def __init__(self, program, work, name, service, policy="serverWins", user="ann"):
        self.name = name
        self.process = subprocess.Popen(
            [str(program), str(work / f"{name}.store"), str(service.port), user, policy],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=open(work / f"{name}.log", "ab"), text=True, bufsize=1,
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.line()

    def line(self):
        answer = self.process.stdout.readline()
        check(answer, f"the client {self.name} has ended")
        return answer.strip()

    def save(self, line):
        answer = self.ask(line)
        check(answer == "saved", f"{self.name}: {line}: {answer}")

    def sync(self):
        answer = self.ask("sync")
        check(answer == "synced", f"{self.name}: {answer}")

    def list(self):
        return json.loads(self.ask("list"))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
