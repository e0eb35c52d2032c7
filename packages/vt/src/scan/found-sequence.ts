/**
 * The one `Sequence` that a scanner reuses: its place, its parts, and its plain form.
 *
 * The bytes are read here, once. A terminal sends very many sequences, so the usual ones cause no allocation.
 */
import type { Sequence, SequenceKind } from './sequence.ts';

export class FoundSequence implements Sequence {
  kind: SequenceKind = 'escape';
  start = 0;
  end = 0;
  source: Uint8Array = NOTHING;
  from = 0;
  to = 0;
  prefix = 0;
  intermediate = 0;
  final = 0;
  paramsFrom = 0;
  paramsTo = 0;
  dataFrom = 0;
  dataTo = 0;
  endsWithBell = false;

  place(start: number, end: number, source: Uint8Array, from: number, to: number): void {
    this.start = start;
    this.end = end;
    this.source = source;
    this.from = from;
    this.to = to;
  }

  /** Places a CSI that contains neither intermediates nor controls. */
  placeCsi(start: number, source: Uint8Array, from: number, to: number): void {
    this.place(start, start + to - from, source, from, to);
    const first = source[from + 2]!;
    this.kind = 'csi';
    this.prefix = first >= 0x3c && first < 0x40 ? first : 0;
    this.intermediate = 0;
    this.final = source[to - 1]!;
    this.paramsFrom = this.prefix === 0 ? from + 2 : from + 3;
    this.paramsTo = to - 1;
    this.#data(to, to);
  }

  /** Drops the reference to the bytes. */
  release(): void {
    this.source = NOTHING;
  }

  /**
   * Puts the bytes into the plain form: ESC and a letter for a C1 control, no controls inside. `eightBitBytes` is the length of
   * the C1 control at the beginning, `endBytes` that of the one that ends the string; 0 if there is none.
   */
  rewrite(eightBitBytes: number, isString: boolean, endBytes: number): void {
    const { source, to } = this;
    const plain: number[] = [ESC];
    let at = this.from + Math.max(1, eightBitBytes);
    if (eightBitBytes > 0) {
      plain.push(source[at - 1]! - 0x40);
    } else {
      while (isControl(source[at]!)) at++;
      plain.push(source[at++]!);
    }
    for (; at < to - endBytes; at++) if (isString || !isControl(source[at]!)) plain.push(source[at]!);
    if (endBytes > 0) plain.push(ESC, BACKSLASH);
    this.source = Uint8Array.from(plain);
    this.from = 0;
    this.to = plain.length;
  }

  readEscape(): void {
    this.kind = 'escape';
    this.prefix = 0;
    this.final = this.source[this.to - 1]!;
    this.intermediate = 0;
    for (let at = this.from + 1; at < this.to - 1; at++)
      this.intermediate = (this.intermediate << 8) | this.source[at]!;
    this.#noParams();
    this.#data(this.to, this.to);
  }

  readCsi(isInOrder: boolean): void {
    const { source, from, to } = this;
    this.kind = 'csi';
    this.prefix = 0;
    this.intermediate = 0;
    this.#data(to, to);
    if (!isInOrder) {
      this.final = 0;
      this.#noParams();
      return;
    }
    this.final = source[to - 1]!;
    this.paramsFrom = from + 2;
    this.paramsTo = to - 1;
    const first = source[from + 2]!;
    if (first >= 0x3c && first < 0x40) {
      this.prefix = first;
      this.paramsFrom++;
    }
    while (this.paramsTo > this.paramsFrom && source[this.paramsTo - 1]! < 0x30) {
      this.intermediate = (this.intermediate << 8) | source[--this.paramsTo]!;
    }
  }

  readString(kind: SequenceKind): void {
    this.endsWithBell = this.source[this.to - 1] === BEL;
    this.#readString(kind, this.to - (this.endsWithBell ? 1 : 2));
  }

  /** Reads an overlong sequence: the payload so far if it is a string, else no data. */
  readUnfinished(kind: SequenceKind): void {
    this.endsWithBell = false;
    this.#readString(kind, this.to);
  }

  #readString(kind: SequenceKind, dataTo: number): void {
    this.kind = kind;
    this.prefix = 0;
    this.intermediate = 0;
    this.final = 0;
    this.#noParams();
    this.#data(this.from + 2, dataTo);
    if (kind === 'dcs') this.#readDcsHead();
  }

  /**
   * Reads prefix, parameters, intermediates and final byte. If they are out of order, there is no final byte, and everything is
   * data.
   */
  #readDcsHead(): void {
    const { source, dataTo } = this;
    let at = this.dataFrom;
    let prefix = 0;
    let intermediate = 0;
    if (at < dataTo && source[at]! >= 0x3c && source[at]! < 0x40) prefix = source[at++]!;
    const paramsFrom = at;
    while (at < dataTo && source[at]! >= 0x30 && source[at]! < 0x3c) at++;
    const paramsTo = at;
    while (at < dataTo && source[at]! >= 0x20 && source[at]! < 0x30)
      intermediate = ((intermediate << 8) | source[at++]!) & 0xffff;
    if (at >= dataTo || source[at]! < 0x40 || source[at]! > 0x7e) return;
    this.prefix = prefix;
    this.intermediate = intermediate;
    this.final = source[at]!;
    this.paramsFrom = paramsFrom;
    this.paramsTo = paramsTo;
    this.dataFrom = at + 1;
  }

  #noParams(): void {
    this.paramsFrom = this.from;
    this.paramsTo = this.from;
  }

  #data(from: number, to: number): void {
    this.dataFrom = from;
    this.dataTo = to;
  }
}

const ESC = 0x1b;
const BEL = 0x07;
const BACKSLASH = 0x5c;
const NOTHING = new Uint8Array(0);

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
