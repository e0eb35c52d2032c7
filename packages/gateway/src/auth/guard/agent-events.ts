/**
 * Redacts the events log of an agent for a client with limited rights: who answered and asked, the folder, and the driver's lines
 * to the agent become asterisks. The number of bytes stays the same, because offsets are cursors. No byte is held back until its
 * line is complete, because a line may be longer than the client's credit. Keeps DOOR-45.
 */

/** The fields with names of users, and with the folder of the agent. */
const OF_EVENTS: ReadonlySet<string> = new Set(['who', 'cwd', 'by']);
/** The events in which `by` is not a name but a word such as `policy`. */
const WITH_PLAIN_BY: ReadonlySet<string> = new Set(['permission.resolved', 'question.resolved']);
const RECORDS: ReadonlySet<string> = new Set(['batch', 'command', 'driver']);
/** The maximum length of a key or kind of ours; longer ones are unknown. */
const WORD_BYTES_MAX = 32;
/** The depth of the fields of an event: the record, its list, the event. */
const EVENT_DEPTH = 3;

const [NEWLINE, SPACE, STAR, QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('\n *"\\:,') as unknown as number[];
const [BRACE, BRACKET, BRACE_END, BRACKET_END] = Buffer.from('{[}]') as unknown as number[];

export class AgentEventsRedaction {
  /** Whether the whole line is masked: it began before the first byte that was seen, or is not a record. */
  #isBlank = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #isMasked = false;
  /** Whether the next string is a value; without a colon before it, it is a key. */
  #isValue = false;
  #word = '';
  /** The last key of the record, and of the event. */
  #recordKey = '';
  #eventKey = '';
  #kind = '';
  #isTyped = false;

  /** Notes that the next bytes begin in the middle of a line. */
  skipLine(): void {
    this.#newLine();
    this.#isBlank = true;
  }

  /** Returns the redacted bytes, in the same number. */
  redact(bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes);
    for (let at = 0; at < out.length; at++) {
      const byte = out[at]!;
      if (byte === NEWLINE) this.#newLine();
      else if (this.#isBlank) out[at] = SPACE!;
      else if (this.#isString) out[at] = this.#inString(byte);
      else {
        this.#between(byte);
        if (this.#isBlank) out[at] = SPACE!;
      }
    }
    return out;
  }

  #newLine(): void {
    this.#isBlank = this.#isString = this.#isEscaped = this.#isMasked = this.#isValue = this.#isTyped = false;
    this.#depth = 0;
    this.#recordKey = this.#eventKey = this.#kind = this.#word = '';
  }

  #inString(byte: number): number {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isString = false;
      this.#wordEnds();
      return byte;
    }
    if (this.#word.length < WORD_BYTES_MAX) this.#word += String.fromCharCode(byte);
    return this.#isMasked ? STAR! : byte;
  }

  #between(byte: number): void {
    if (this.#depth === 0 && byte !== BRACE) this.#isBlank = true;
    else if (byte === QUOTE) {
      this.#isString = true;
      this.#word = '';
      this.#isMasked = this.#isSecret();
    } else if (byte === COLON) this.#isValue = true;
    else if (byte === COMMA) this.#isValue = false;
    else if (byte === BRACE || byte === BRACKET) {
      this.#depth++;
      this.#isValue = false;
      if (this.#isInEvents && this.#depth === EVENT_DEPTH) this.#kind = this.#eventKey = '';
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      this.#depth--;
      this.#isValue = false;
    }
  }

  get #isInEvents(): boolean {
    return this.#recordKey === 'events';
  }

  /** Returns whether the string that begins here must be masked. */
  #isSecret(): boolean {
    if (this.#recordKey === 'writes' && this.#depth > 1) return true;
    if (this.#depth === 1) return this.#isValue && this.#recordKey === 'by';
    if (!this.#isInEvents) return false;
    // A line of an unknown version may contain anything.
    if (this.#kind === 'raw' && this.#eventKey === 'value' && (this.#depth > EVENT_DEPTH || this.#isValue)) return true;
    if (this.#depth !== EVENT_DEPTH || !this.#isValue) return false;
    return OF_EVENTS.has(this.#eventKey) && !(this.#eventKey === 'by' && WITH_PLAIN_BY.has(this.#kind));
  }

  #wordEnds(): void {
    const isOfRecord = this.#depth === 1;
    if (!isOfRecord && !(this.#isInEvents && this.#depth === EVENT_DEPTH)) return;
    if (!this.#isValue) {
      if (isOfRecord) this.#recordKey = this.#word;
      else this.#eventKey = this.#word;
      // Every record begins with its type; any other text is from the middle of a record.
      if (isOfRecord && !this.#isTyped && this.#word !== 'type') this.#isBlank = true;
    } else if (isOfRecord && this.#recordKey === 'type') {
      this.#isTyped = true;
      if (!RECORDS.has(this.#word)) this.#isBlank = true;
    } else if (!isOfRecord && this.#eventKey === 'kind') this.#kind = this.#word;
  }
}
