/**
 * Lines of a stream of server-sent events, as the text of their events. Several `data` lines of one event are joined, as the
 * standard says; comments and other fields are skipped. A line that is already JSON (from a log of the events' data) is passed on.
 */
export class SseFraming {
  #data: string[] = [];

  /** Returns the data of the event that this line completes, if it completes one. */
  line(text: string): string | undefined {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.startsWith('data:')) {
      this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      return undefined;
    }
    if (line === '') return this.end();
    if (line.startsWith(':') || /^(event|id|retry):/.test(line)) return undefined;
    return line;
  }

  /** Returns the data that is left at the end of the stream. */
  end(): string | undefined {
    if (this.#data.length === 0) return undefined;
    const data = this.#data.join('\n');
    this.#data = [];
    return data;
  }
}
