/** The request to start a session, described once. The client sends all values; none comes from the daemon's own environment. */
import { z } from 'zod';
import { AGENT_COMMAND_SCHEMA } from '../agent/command-schema.ts';
import { LIMIT_NAMES } from '../limits.ts';
import { TIMEOUT_MS_MAX } from '../messages.ts';
import {
  COLOURS,
  cString,
  ID_PATTERN,
  labels,
  name,
  PROCESS_IDENTITY,
  sessionRef,
  shortText,
  SIZE,
  SIZE_POLICY,
} from './parts.ts';

/** The maximum of variables that a resumed agent gets again. */
const KEPT_VARIABLES_MAX = 256;
/** The maximum of owners; a command in the foreground has two: itself, and its caller. */
const OWNERS_MAX = 8;

const limit = z.int().min(0).nullable();
const flag = z.boolean().optional();
const timeout = z.int().min(1).max(TIMEOUT_MS_MAX).optional();

/** A command of a client for an agent. The keeper validates it, and only the agent's driver executes it. */
export const commandLine = {
  /** The id, chosen by the client: a repeated id is not a second command. */
  id: z.string().min(1).max(100),
  command: AGENT_COMMAND_SCHEMA,
};
export const COMMAND_LINE = z.strictObject(commandLine);

export const AGENT_START_OPTIONS = z.strictObject({
  model: shortText.optional(),
  mode: shortText.optional(),
  /** The agent's own session to resume. */
  resume: shortText.optional(),
});

/** The agent session that an agent resumes. No two running sessions resume the same one: both would write to it. */
export const AGENT_RESUMED = z.strictObject({
  /** The agent's own session, by its id. */
  agentSession: shortText,
  /** The session that had it before and has ended. */
  session: sessionRef.optional(),
});

/** An agent without a terminal: the child uses its own protocol on pipes. */
export const AGENT_RUN = z.strictObject({
  /** The name of its driver: `claude`, `codex`, …. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be the name of a driver'),
  /** Its first commands, in order. */
  commands: z.array(COMMAND_LINE).max(100).optional(),
  /** The options that its driver sends to the agent at the start. */
  options: AGENT_START_OPTIONS.optional(),
  resumes: AGENT_RESUMED.optional(),
  /** The bridge for an agent that serves HTTP: it carries the agent's events and calls on pipes. */
  bridge: z.literal('http').optional(),
});

export const RUN = z
  .strictObject({
    /** The id, chosen by the client, so that a `run` that is sent again after a broken link starts no second session. */
    id: z.string().regex(ID_PATTERN, 'must have 8 to 32 characters of a-z and 0-9'),
    /** The command; empty, with `base`: the shell of the daemon's user. */
    command: z.array(cString).max(10_000),
    /** The folder: an absolute path; with `base` also one in the home folder of the daemon's user: `~`, `~/src`. */
    cwd: cString,
    /**
     * `daemon`: the caller is on another machine, whose environment is not useful here. The session gets the environment of the
     * daemon's user, and `env` on top (default: only `env`).
     */
    base: z.literal('daemon').optional(),
    /** The names of variables that an agent gets again when it is resumed (decision 162). */
    keptEnv: z.array(shortText.min(1)).max(KEPT_VARIABLES_MAX).optional(),
    env: z.record(
      z
        .string()
        .min(1)
        .refine((key) => !/[=\0]/.test(key), 'must be the name of a variable'),
      cString,
    ),
    name: name.optional(),
    labels: labels.optional(),
    /** The size of its terminal; without it the child is on pipes. */
    size: SIZE.optional(),
    umask: z.int().min(0).max(0o777).optional(),
    /** The soft limit of open files; takes precedence over `limits`. */
    nofileSoft: z.int().min(3).optional(),
    /** The child's limits, as far as the daemon may set them. */
    limits: z.partialRecord(z.enum(LIMIT_NAMES), z.tuple([limit, limit])).optional(),
    /** The niceness, -20 to 19. If the daemon may not set it, the child gets the daemon's own. */
    nice: z.int().min(-20).max(19).optional(),
    /** The run time after which the session is ended (as by `stop`). */
    timeoutMs: timeout,
    /** The time without output, input and CPU time after which the session is ended (as by `stop`). */
    idleTimeoutMs: timeout,
    sizePolicy: SIZE_POLICY.optional(),
    /** Whether the terminal echoes its input; false if a program writes it (default: true). */
    echo: flag,
    retainBytes: z.int().min(0).optional(),
    retainMs: z.int().min(0).optional(),
    /** Whether it is a task: its start and end are also reported as task events. */
    isTask: flag,
    /** The processes on whose behalf it is started: the client's own, or its caller. */
    owners: z.array(PROCESS_IDENTITY).max(OWNERS_MAX).optional(),
    /** Whether the session is stopped when one of its owners is gone (default: it survives them). */
    whileOwner: flag,
    /** The colours of the terminal that starts it: the child's first colour queries are answered with them. */
    colours: COLOURS.optional(),
    /**
     * Whether an agent in a terminal may get a separate server; false: it is executed exactly as typed (default: true if that is
     * known to work).
     */
    sideChannel: flag,
    /** An agent on pipes, with a driver and a second log. */
    agent: AGENT_RUN.optional(),
  })
  // Only a caller on another machine may leave these to the daemon.
  .refine(({ command, base }) => command.length > 0 || base === 'daemon', {
    path: ['command'],
    message: 'must have at least 1 item',
  })
  .refine(({ cwd, base }) => cwd.startsWith('/') || (base === 'daemon' && /^~(\/|$)/.test(cwd)), {
    path: ['cwd'],
    message: 'must be an absolute path',
  });
