export { BareClient, socketRoomBytes, type Told } from './bare-client.ts';
export { type Ran, SPOOL, TestDaemon } from './daemon.ts';
export { inNamespace, NAMESPACES_MISSING, runInNamespace, startWithPid } from './namespace.ts';
export { type EndedSession, writeEndedSession, writeEndedSessions } from './ended-sessions.ts';
export { isAlive, statusField, until } from './processes.ts';
export { program } from './programs.ts';
export { Terminal } from './terminal.ts';
export { VerifiedStream } from './verified-stream.ts';
export { outputOf, seen } from './watching.ts';
