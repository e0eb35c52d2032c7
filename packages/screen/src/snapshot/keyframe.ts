/**
 * Stores a model. The daemon writes a keyframe beside the log from time to time, so that the state at any offset follows from a
 * keyframe and the bytes since, instead of all bytes since the start.
 *
 * The picture is a snapshot with its history; beside it is the state that bytes cannot express. A keyframe that is cut,
 * damaged, or of another version is rejected: the caller then uses an older one.
 */
import { crc32 } from 'node:zlib';
import { SCROLLBACK_LINES } from '@spool/protocol';
import type { ModeState } from '@spool/vt';
import type { EngineBuffer } from '../engine/engine.ts';
import { COLS_MAX, ROWS_MAX, ScreenModel } from '../engine/screen-model.ts';
import { picture } from './snapshot.ts';

/** The version, in byte 0. Change it whenever the format of the rest changes. */
export const KEYFRAME_VERSION = 3;

export interface KeyframeOptions {
  /** The number of lines of history to keep (default: all). Without them, a later change of size reflows differently. */
  readonly history?: number;
}

export interface KeyframeRestoreOptions {
  /** The number of lines that the model will keep above the screen (default: as many as the stored one kept). */
  readonly scrollback?: number;
}

/**
 * Writes a version, a checksum of the rest, the length of the facts, the facts as JSON, and the picture. Numbers are big-endian.
 */
export function encodeKeyframe(model: ScreenModel, options: KeyframeOptions = {}): Uint8Array {
  const facts = Buffer.from(JSON.stringify(factsOf(model)), 'utf8');
  const drawing = picture(model, { history: options.history ?? model.scrollback });
  const frame = Buffer.alloc(HEAD_BYTES + facts.length + drawing.length);
  frame.set(facts, HEAD_BYTES);
  frame.set(drawing, HEAD_BYTES + facts.length);
  frame.writeUInt8(KEYFRAME_VERSION, 0);
  frame.writeUInt32BE(facts.length, 5);
  frame.writeUInt32BE(crc32(frame.subarray(5)), 1);
  return new Uint8Array(frame.buffer, frame.byteOffset, frame.length);
}

/** Returns the restored model, or undefined if these bytes are not a whole keyframe. */
export function restoreModel(bytes: Uint8Array, options: KeyframeRestoreOptions = {}): ScreenModel | undefined {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (frame.length < HEAD_BYTES || frame.readUInt8(0) !== KEYFRAME_VERSION) return undefined;
  if (frame.readUInt32BE(1) !== crc32(frame.subarray(5))) return undefined;
  const end = HEAD_BYTES + frame.readUInt32BE(5);
  if (end > frame.length) return undefined;
  const facts = readFacts(frame.toString('utf8', HEAD_BYTES, end));
  if (facts === undefined) return undefined;
  const { scrollback = facts.scrollback } = options;
  const model = new ScreenModel(facts, { scrollback, modes: facts.modes });
  model.draw(frame.subarray(end));
  poke(model, facts);
  model.write(Buffer.from(facts.pending, 'base64'));
  return model;
}

interface Facts {
  readonly cols: number;
  readonly rows: number;
  readonly scrollback: number;
  readonly modes: ModeState;
  /** The pending bytes in base64. */
  readonly pending: string;
  readonly normal: BufferFacts;
  readonly alternate: BufferFacts;
}

/** Positions on the line, and from the top of the screen, that a terminal would clamp. */
interface BufferFacts {
  readonly tabs: readonly number[];
  readonly cursor: readonly [x: number, y: number];
  readonly saved: readonly [x: number, y: number];
}

function factsOf(model: ScreenModel): Facts {
  const { normal, alt } = model.engine.core.buffers;
  const pending = Buffer.from(model.pending()).toString('base64');
  return {
    ...model.size,
    scrollback: model.scrollback,
    modes: model.modes,
    pending,
    normal: bufferFacts(normal),
    alternate: bufferFacts(alt),
  };
}

function bufferFacts({ tabs, x, y, savedX, savedY, ybase }: EngineBuffer): BufferFacts {
  const stops = Object.keys(tabs)
    .map(Number)
    .filter((col) => tabs[col] && col < 2 * COLS_MAX);
  return { tabs: stops, cursor: [x, y], saved: [savedX, savedY - ybase] };
}

/** Reads the facts; the checksum has validated the bytes, so this guards against bugs in our own code. */
function readFacts(text: string): Facts | undefined {
  try {
    const facts = JSON.parse(text) as Facts;
    const isSized =
      isWithin(facts.cols, COLS_MAX) &&
      isWithin(facts.rows, ROWS_MAX) &&
      isWithin(facts.scrollback + 1, SCROLLBACK_MAX);
    return isSized && typeof facts.modes === 'object' && typeof facts.pending === 'string' ? facts : undefined;
  } catch {
    return undefined; // not JSON: not a keyframe
  }
}

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most;

/** Sets exactly the state that the picture could only approximate. */
function poke(model: ScreenModel, { normal, alternate }: Facts): void {
  const { buffers } = model.engine.core;
  pokeBuffer(buffers.normal, normal);
  pokeBuffer(buffers.alt, alternate);
}

function pokeBuffer(buffer: EngineBuffer, { tabs, cursor, saved }: BufferFacts): void {
  buffer.tabs = Object.fromEntries(tabs.map((col) => [col, true]));
  [buffer.x, buffer.y] = cursor;
  buffer.savedX = saved[0];
  buffer.savedY = Math.max(0, saved[1] + buffer.ybase);
}

const HEAD_BYTES = 9;
const SCROLLBACK_MAX = 100 * SCROLLBACK_LINES;
