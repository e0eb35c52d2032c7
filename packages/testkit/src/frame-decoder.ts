/**
 * A second reader of frames, written only from the table in `frame.ts`: no shared constants, no shared code, another style (one
 * hex string, no state, BigInt offsets). If it and `FrameReader` disagree, one of them is wrong.
 */
export interface DecodedFrame {
  readonly type: string;
  readonly flags: number;
  readonly channel: number;
  readonly offset: bigint;
  readonly payload: string;
}

export interface DecodedFrames {
  readonly frames: readonly DecodedFrame[];
  /** The rest of an unfinished frame, in hex. */
  readonly rest: string;
  readonly fault: 'unknown type' | 'too large' | 'offset' | null;
}

const TYPES: Readonly<Record<string, readonly [name: string, most: number]>> = {
  '01': ['hello', 1048576],
  '02': ['request', 1048576],
  '03': ['reply', 1048576],
  '04': ['error', 1048576],
  '05': ['event', 1048576],
  '10': ['output', 65536],
  '11': ['input', 65792],
  '12': ['credit', 0],
  '13': ['snapshot', 1048576],
  '14': ['typed', 0],
};

const HEADER = /^(?<bytes>.{8})(?<type>..)(?<flags>..)....(?<channel>.{8})(?<offset>.{16})/;

/** Decodes all frames in a stream of bytes, given as hex. */
export function decodeFrames(hex: string, before: readonly DecodedFrame[] = []): DecodedFrames {
  const header = HEADER.exec(hex)?.groups;
  if (header === undefined) return { frames: before, rest: hex, fault: null };
  const [type, most] = TYPES[header['type']!] ?? [];
  if (type === undefined) return { frames: before, rest: hex, fault: 'unknown type' };
  const digits = 2 * Number(`0x${header['bytes']}`);
  if (digits > 2 * most!) return { frames: before, rest: hex, fault: 'too large' };
  const offset = BigInt(`0x${header['offset']}`);
  if (offset >= 2n ** 53n) return { frames: before, rest: hex, fault: 'offset' };
  const payload = hex.slice(40, 40 + digits);
  if (payload.length < digits) return { frames: before, rest: hex, fault: null };
  const [flags, channel] = [Number(`0x${header['flags']}`), Number(`0x${header['channel']}`)];
  return decodeFrames(hex.slice(40 + digits), [...before, { type, flags, channel, offset, payload }]);
}
