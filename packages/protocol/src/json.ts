/** JSON payloads, and the runtime's UTF-8 encoder and decoder (this package has no Node and no DOM types). */
import { encodeFrame, type FrameType } from './frame.ts';
import { SpoolError } from './errors.ts';

interface TextCodecs {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
}

const { TextEncoder, TextDecoder } = globalThis as unknown as TextCodecs;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodeJson(type: FrameType, channel: number, value: unknown, offset = 0): Uint8Array {
  return encodeFrame(type, channel, encoder.encode(JSON.stringify(value)), offset);
}

/** Returns the content of a control frame; throws a typed error if it is not JSON. */
export function decodeJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw new SpoolError('FRAME_INVALID', { payload: 'not JSON' }, { cause });
  }
}

/** Encodes input: `u8` length of the session's reference, the reference, the bytes. */
export function encodeInput(session: string, bytes: Uint8Array): Uint8Array {
  const name = encoder.encode(session);
  if (name.length > 255)
    throw new SpoolError('ARGUMENT_INVALID', { session, reason: 'its name is too long here; use the id' });
  const payload = new Uint8Array(1 + name.length + bytes.length);
  payload[0] = name.length;
  payload.set(name, 1);
  payload.set(bytes, 1 + name.length);
  return payload;
}

/** Returns the offset of the bytes in an input. */
export function inputFrom(payload: Uint8Array): number {
  const length = payload[0];
  if (length === undefined || payload.length < 1 + length)
    throw new SpoolError('FRAME_INVALID', { input: 'cut short' });
  return 1 + length;
}

export function decodeInput(payload: Uint8Array): { session: string; bytes: Uint8Array } {
  const from = inputFrom(payload);
  try {
    return { session: decoder.decode(payload.subarray(1, from)), bytes: payload.subarray(from) };
  } catch (cause) {
    throw new SpoolError('FRAME_INVALID', { input: 'its session is not UTF-8' }, { cause });
  }
}
