/**
 * One control sequence, as the scanner found it, and how to read it.
 *
 * The bytes `source[from..to)` are always in the plain 7-bit form: introduced by ESC, with no other control inside the
 * parameters, and a string ends with BEL or ESC \. If the program wrote another form, the scanner has rewritten it; `start` and
 * `end` are still the offsets in the stream. The object and `source` belong to the scanner and are valid during the call only:
 * copy what you keep.
 */
export interface Sequence {
  readonly kind: SequenceKind;
  /** Absolute offset of the first byte, and of the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly source: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** csi, dcs: `<`, `=`, `>` or `?` before the parameters, else 0. */
  readonly prefix: number;
  /** escape, csi, dcs: the byte 0x20–0x2f before the final one, else 0. Two such bytes make a number above 255. */
  readonly intermediate: number;
  /** escape, csi, dcs: the final byte. 0 for the other strings, and if the parts are in an order that no terminal accepts. */
  readonly final: number;
  /** csi, dcs: `source[paramsFrom..paramsTo)`, without prefix and intermediates. */
  readonly paramsFrom: number;
  readonly paramsTo: number;
  /** osc, dcs, sos, pm, apc: the payload is `source[dataFrom..dataTo)`. */
  readonly dataFrom: number;
  readonly dataTo: number;
  /** True for a string that ended with BEL: a reply ends in the same way as its query. */
  readonly endsWithBell: boolean;
}

export type SequenceKind = 'escape' | 'csi' | 'osc' | 'dcs' | 'sos' | 'pm' | 'apc';

/** Terminals ignore parameters beyond this many. */
const PARAMS_MAX = 32;

/**
 * Returns the parameters as numbers; an omitted one is -1, so that the caller applies its default. Subparameters (after a colon)
 * are skipped.
 */
export function paramsOf(sequence: Sequence): readonly number[] {
  const { source, paramsFrom, paramsTo } = sequence;
  if (paramsFrom === paramsTo) return NONE;
  const params: number[] = [];
  let value = -1;
  let isSub = false;
  for (let at = paramsFrom; at < paramsTo; at++) {
    const byte = source[at]!;
    if (byte === 0x3b) {
      params.push(value);
      if (params.length === PARAMS_MAX) return params;
      value = -1;
      isSub = false;
    } else if (byte === 0x3a) {
      isSub = true;
    } else if (!isSub) {
      value = value < 0 ? byte - 0x30 : Math.min(value * 10 + byte - 0x30, PARAM_VALUE_MAX);
    }
  }
  params.push(value);
  return params;
}

/** Returns one parameter, or `fallback` if it is omitted. */
export function paramOf(sequence: Sequence, index: number, fallback: number): number {
  const value = paramsOf(sequence)[index] ?? -1;
  return value < 0 ? fallback : value;
}

/** Returns the number at the beginning of an OSC, or -1 without one. */
export function oscCodeOf(sequence: Sequence): number {
  const { source, dataFrom, dataTo } = sequence;
  let code = -1;
  for (let at = dataFrom; at < dataTo && at < dataFrom + OSC_CODE_DIGITS_MAX; at++) {
    const byte = source[at]!;
    if (byte === 0x3b) return code;
    if (byte < 0x30 || byte > 0x39) return -1;
    code = (code < 0 ? 0 : code * 10) + byte - 0x30;
  }
  return dataTo - dataFrom <= OSC_CODE_DIGITS_MAX ? code : -1;
}

/** Returns the index of an OSC's text: after its number and the semicolon. */
export function oscTextFrom(sequence: Sequence): number {
  const { source, dataFrom, dataTo } = sequence;
  for (let at = dataFrom; at < dataTo; at++) if (source[at] === 0x3b) return at + 1;
  return dataTo;
}

/**
 * Returns the payload byte for byte as a string (Latin-1), up to a maximum: for formats that are ASCII and refuse everything
 * else.
 */
export function payloadOf(sequence: Sequence, charactersMax: number, from: number = sequence.dataFrom): string {
  return latin1(sequence.source, from, Math.min(sequence.dataTo, from + charactersMax));
}

/** Returns the text of an OSC, after its number, up to a maximum. */
export const oscPayloadOf = (sequence: Sequence, charactersMax: number): string =>
  payloadOf(sequence, charactersMax, oscTextFrom(sequence));

/** Converts each byte to one character. */
export function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

/** Returns a copy of the whole sequence. (`slice` of a Node `Buffer` would not copy.) */
export const bytesOf = (sequence: Sequence): Uint8Array =>
  new Uint8Array(sequence.source.subarray(sequence.from, sequence.to));

/** Numbers stop growing here, far beyond any row, mode or colour. */
const PARAM_VALUE_MAX = 0x7fff_ffff;
const OSC_CODE_DIGITS_MAX = 6;
const NONE: readonly number[] = [];
