/** `spool driver NAME --replay FILE`: turns a recording of an agent into events, one a line. Keeps DRV-9. */
import { createReadStream } from 'node:fs';
import { BusiestClient, DIALECTS, Driver, DRIVER_NAMES, isDriverName, RecordingReader } from '@spool/drivers';
import type { AgentEvent } from '@spool/protocol/agent';
import { osErrorText } from '../command-line/os-error.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { jsonText } from '../output/json-text.ts';
import { flush, writeText } from '../output/stdio.ts';
import type { VerbAction } from '../program.ts';

const READ_BYTES = 64 * 1024;

const driver: VerbAction<'driver'> = async ({ flags, operands }) => {
  const [name = ''] = operands;
  if (!isDriverName(name))
    throw new UsageError(`there is no driver ${JSON.stringify(name)}; use ${DRIVER_NAMES.join(', ')}`, 'driver');
  if (flags.replay === undefined) throw new UsageError('--replay FILE is required', 'driver');
  const file = flags.replay;
  const agent = new Driver(DIALECTS[name], 'replay', { isReadOnly: true });
  const reader = new RecordingReader(file === '-' ? undefined : await busiestClient(file));
  for await (const chunk of chunksOf(file))
    for (const input of reader.push(chunk)) await print(agent.take(input).events);
  for (const input of reader.end()) await print(agent.take(input).events);
  await flush(1);
  return 0;
};

export default driver;

async function print(events: readonly AgentEvent[]): Promise<void> {
  if (events.length > 0) await writeText(events.map((event) => `${jsonText(event)}\n`).join(''));
}

async function busiestClient(file: string): Promise<string | undefined> {
  const counted = new BusiestClient();
  for await (const chunk of chunksOf(file)) counted.push(chunk);
  return counted.client;
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw new UsageError(`cannot read ${JSON.stringify(file)}: ${osErrorText(error)}`, 'driver');
  }
}
