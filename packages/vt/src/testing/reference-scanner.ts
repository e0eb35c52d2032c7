/**
 * A second scanner, written from the rules and only for readability: it reads the whole input at once, without state or
 * optimisation. The real scanner must find the same sequences.
 */
import type { C1 } from '../scan/escape-scanner.ts';

/** `text` | `control` | a sequence kind, with its bytes in the plain 7-bit form. */
export type ReferenceEvent = readonly [what: string, bytes: string];

export function referenceScan(input: Uint8Array, c1: C1): ReferenceEvent[] {
  const events: ReferenceEvent[] = [];
  const controls: ReferenceEvent[] = [];
  const text = (byte: number): void => {
    const last = events.at(-1);
    const char = String.fromCharCode(byte);
    if (last?.[0] === 'text') events[events.length - 1] = ['text', last[1] + char];
    else events.push(['text', char]);
  };
  let at = 0;
  const c1At = (): number => {
    if (c1 === 'bytes' && input[at]! >= 0x80 && input[at]! < 0xa0) return 1;
    return c1 === 'utf8' && input[at] === 0xc2 && input[at + 1]! >= 0x80 && input[at + 1]! < 0xa0 ? 2 : 0;
  };
  const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
  while (at < input.length) {
    const byte = input[at]!;
    const width = c1At();
    if (byte !== 0x1b && width === 0) {
      at++;
      if (isControl(byte)) events.push(['control', String.fromCharCode(byte)]);
      else if (byte === 0xc2 && at === input.length && c1 === 'utf8') continue; // held back
      else text(byte);
      continue;
    }
    let plain = '\x1b';
    if (width > 0) {
      plain += String.fromCharCode(input[at + width - 1]! - 0x40);
      at += width;
    } else {
      at++;
    }
    // Reads one sequence from here. `plain` grows; a `return`-like break leaves the outer loop, which continues at `at`.
    let kind = plain.length > 1 ? kindOf(plain[1]!) : '';
    let isDone = plain.length > 1 && kind === 'escape';
    let isBroken = false;
    controls.length = 0;
    while (!isDone && !isBroken && at < input.length) {
      const next = input[at]!;
      const isString = kind !== '' && kind !== 'csi' && kind !== 'escape';
      if (next === 0x18 || next === 0x1a) {
        events.push(['control', String.fromCharCode(next)]);
        at++;
        isBroken = true;
      } else if (isString) {
        if (next === 0x1b) {
          if (at + 1 === input.length) return events; // unfinished
          if (input[at + 1] === 0x5c) {
            plain += '\x1b\\';
            at += 2;
            isDone = true;
          } else if (input[at + 1] === 0x18 || input[at + 1] === 0x1a) {
            at++; // the next turn reports the control
          } else isBroken = true;
        } else if (next === 0x07 && kind === 'osc') {
          plain += '\x07';
          at++;
          isDone = true;
        } else if (c1At() > 0 && input[at + c1At() - 1] === 0x9c) {
          plain += '\x1b\\';
          at += c1At();
          isDone = true;
        } else {
          plain += String.fromCharCode(next);
          at++;
        }
      } else if (next === 0x1b || next >= 0x80) isBroken = true;
      else if (isControl(next)) {
        events.push(['control', String.fromCharCode(next)]);
        at++;
      } else {
        plain += String.fromCharCode(next);
        at++;
        if (kind === '') {
          if (next >= 0x30) {
            kind = plain.length === 2 ? kindOf(plain[1]!) : 'escape';
            isDone = kind === 'escape';
          }
        } else if (next >= 0x40) isDone = true;
      }
    }
    if (isDone) events.push([kind, plain]);
  }
  return events;
}

const kindOf = (opener: string): string =>
  ({ '[': 'csi', ']': 'osc', P: 'dcs', X: 'sos', '^': 'pm', _: 'apc' })[opener] ?? 'escape';
