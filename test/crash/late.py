"""A killed daemon's last commit that arrives late, when the next daemon has started already.

A server goes on with what it was sent, whatever became of the sender. Here the last words of the
dead one are spoken by psql, slowly: the verdict of a condition, and the end of a delivery.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from oracle import Evidence, Verdict
from world import PATIENCE, World

LATE = 1.5  # seconds

LAST_WORDS = f"""
BEGIN;
UPDATE slots SET outcome = 'fired', verdict = 'true', reason = 'fired on time'
  WHERE outcome = 'checking';
INSERT INTO queue (id, slot, reminder, agent, body, priority, state, attempts, queued_at)
  SELECT 'm-lastword', s.key, s.reminder, 'me', 'checked 1', 'idle', 'queued', 0, s.decided_at
  FROM slots s JOIN reminders r ON r.key = s.reminder WHERE r.name = 'checked';
UPDATE reminders SET fire_count = 1, last_fired_at = (SELECT decided_at FROM slots
  WHERE slots.reminder = reminders.key), open_slot = NULL, status = 'completed',
  ended_at = 0, end_reason = 'its only time has come' WHERE name = 'checked';
UPDATE queue SET state = 'delivered', done_at = offered_at WHERE state = 'offered';
SELECT pg_sleep({LATE});
UPDATE reminders SET ended_at = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  WHERE name = 'checked';
COMMIT;
"""


def wait_for(world, sql):
    until = time.monotonic() + PATIENCE
    while not world.query(sql) and time.monotonic() < until:
        time.sleep(0.02)


def prepare(world):
    """A daemon that is killed while a condition and a delivery run: they do until it is."""
    hold = f'until [ -e "{world.home}/go" ]; do sleep 0.05; done'
    with open(f"{world.home}/deliver", "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\necho "$BELFRY_MESSAGE_ID" >> "{world.home}/offers"\n'
                f'echo "$BELFRY_MESSAGE_ID told 1" >> "{world.home}/delivered"\n{hold}\n')
    process = world.start()
    connection = world.connect_when_up(process)
    for name, args in (("checked", {"agent": "me", "condition": hold}),
                       ("told", {"agent": "loud"})):
        world.adds[name] = connection.must("reminder add", name=name, **{"in": "10ms"},
                                           message=name + " {{fire_count}}", **args)["id"]
    wait_for(world, "SELECT 1 FROM slots, queue WHERE outcome = 'checking' AND state = 'offered'")
    connection.close()
    process.kill()
    process.wait()
    open(f"{world.home}/go", "w", encoding="ascii").close()


def main():
    server = os.environ["BELFRY_TEST_POSTGRES"]
    folder = tempfile.mkdtemp(prefix="belfry-late.")
    verdict = Verdict("late")
    subprocess.run(["psql", "-qX", server, "-c", "CREATE DATABASE belfry_late"], check=True)
    world = World(os.environ["BELFRY_BIN"], None, f"{folder}/home",
                  f"{server.rpartition('/')[0]}/belfry_late")
    prepare(world)
    dead = subprocess.Popen(["psql", "-qX", "-v", "ON_ERROR_STOP=1", world.store],
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    dead.stdin.write(LAST_WORDS)
    dead.stdin.close()
    wait_for(world, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")
    process = world.start()
    connection = world.talk_when_up(process)
    verdict.tell("the last words were heard", [f"psql: {dead.returncode}"] * (dead.wait() != 0))
    world.come_to_rest(connection)
    time.sleep(1.5)  # what was started again would have ended by now
    evidence = Evidence(world)
    verdict.check(evidence)
    again = [s for s in evidence.slots if s["attempts"] > 1] + \
            [m for m in evidence.messages if m["attempts"] > 1] + evidence.lines("offers")[1:]
    verdict.tell("what the dead one had finished is not done again", again)
    connection.close()
    process.terminate()
    process.wait(PATIENCE)
    shutil.rmtree(folder)
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


sys.exit(main())
