"""run_shell for Python, over the command line of Spool: a task that can be awaited, and that ends with this program.

    import asyncio
    from run_shell import run_shell, wait_for_completion

    async def main():
        handle = await run_shell("npx create-next-app site", pty=True, task_name="scaffold")
        result = await wait_for_completion(handle["taskId"], on_event=print)
        print(result["state"], result["exitCode"])

    asyncio.run(main())

Needs only the standard library and `spool` (set SPOOL to use another one).
"""

import asyncio
import json
import os

SPOOL = os.environ.get("SPOOL", "spool")


async def _spool(*args):
    """Runs spool; returns its exit code, stdout and stderr."""
    process = await asyncio.create_subprocess_exec(
        SPOOL, *args, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def run_shell(cmd, pty=False, timeout=300, task_name=None, while_owner=True):
    """pty=False: runs the command and returns its result. pty=True: returns {"taskId", "name", "status"} at once.

    The task is stopped, with all its processes, when this program is gone, unless while_owner is False.
    """
    args = ["task", "run", "--detach", "--json", "--timeout", f"{timeout}s", "--shell", cmd]
    if task_name is not None:
        args += ["--name", task_name]
    if while_owner:
        args += ["--owner", str(os.getpid())]
    if not pty:
        args += ["--pipes"]
    code, out, err = await _spool(*args)
    if code != 0:
        raise RuntimeError(err.strip())
    task = json.loads(out)
    if not pty:
        return await wait_for_completion(task["taskId"])
    return {"taskId": task["taskId"], "name": task["name"], "status": "started"}


async def wait_for_completion(task_id, on_event=None):
    """Returns the task's last event: {"type": "task_finished", "state", "exitCode", "durationMs", …} and its "log".

    on_event gets each task_started, task_log, task_blocked, milestone and task_finished event as it happens.
    """
    process = await asyncio.create_subprocess_exec(
        SPOOL, "task", "wait", "--json", task_id, stdout=asyncio.subprocess.PIPE, limit=16 * 1024 * 1024
    )
    log, finished = [], None
    async for line in process.stdout:
        event = json.loads(line)
        if event["type"] == "task_log":
            log.append(event["chunk"])
        elif event["type"] == "task_finished":
            finished = event
        if on_event is not None:
            on_event(event)
    await process.wait()
    if finished is None:
        raise RuntimeError(f"spool ended with {process.returncode} before task {task_id} had")
    return {**finished, "log": "".join(log)}
