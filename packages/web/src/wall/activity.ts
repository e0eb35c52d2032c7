/** Counts the recent output of each session: bars for a sparkline, from the offsets that the wall receives anyway. */

const BUCKET_MS = 2_000;
export const BUCKETS = 24;

interface ActivityHistory {
  offset: number;
  /** The bytes by bucket, the latest last. */
  readonly bytes: number[];
  bucket: number;
}

export class WallActivity {
  readonly #lives = new Map<string, ActivityHistory>();

  /** Notes that the log of a session has reached this offset. */
  note(id: string, offset: number, now: number): void {
    const bucket = Math.floor(now / BUCKET_MS);
    const life = this.#lives.get(id);
    if (life === undefined) {
      this.#lives.set(id, { offset, bytes: Array.from({ length: BUCKETS }, () => 0), bucket });
      return;
    }
    this.#turn(life, bucket);
    life.bytes[BUCKETS - 1]! += Math.max(0, offset - life.offset);
    life.offset = Math.max(life.offset, offset);
  }

  /** Returns shares of the busiest bucket, by logarithm (0 to 1), the latest last. Returns null if there was no output. */
  bars(id: string, now: number): readonly number[] | null {
    const life = this.#lives.get(id);
    if (life === undefined) return null;
    this.#turn(life, Math.floor(now / BUCKET_MS));
    const most = Math.log1p(Math.max(...life.bytes));
    return most === 0 ? null : life.bytes.map((bytes) => Math.log1p(bytes) / most);
  }

  #turn(life: ActivityHistory, bucket: number): void {
    for (let steps = Math.min(BUCKETS, bucket - life.bucket); steps > 0; steps--) {
      life.bytes.shift();
      life.bytes.push(0);
    }
    life.bucket = Math.max(life.bucket, bucket);
  }
}
