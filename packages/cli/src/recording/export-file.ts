/**
 * The target of an export. It is opened with the first text, so that an export that fails before that changes nothing; an
 * export that fails later removes the file that it created.
 */
import type { WriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { UsageError } from '../command-line/usage-error.ts';

export class ExportFile implements AsyncDisposable {
  readonly #path: string;
  readonly #failed = Promise.withResolvers<never>();
  #stream: WriteStream | undefined;
  /** The file did not exist before, so it is neither another file nor a device. */
  #isOurs = false;
  #isComplete = false;

  constructor(path: string) {
    this.#path = path;
    this.#failed.promise.catch(() => {}); // reported to the writer
  }

  async write(text: string): Promise<void> {
    const stream = await this.#opened();
    if (stream.write(text)) return;
    await Promise.race([this.#failed.promise, new Promise<void>((resolve) => stream.once('drain', resolve))]);
  }

  /** Completes the file. An empty export also creates a file. */
  async end(): Promise<void> {
    const stream = await this.#opened();
    stream.end();
    await Promise.race([this.#failed.promise, finished(stream)]);
    this.#isComplete = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.destroy();
    if (this.#isOurs && !this.#isComplete) await rm(this.#path, { force: true });
  }

  async #opened(): Promise<WriteStream> {
    if (this.#stream) return this.#stream;
    const handle = await this.#open().catch((error: Error) => Promise.reject(this.#refusal(error)));
    this.#stream = handle.createWriteStream();
    this.#stream.on('error', (error) => this.#failed.reject(this.#refusal(error)));
    return this.#stream;
  }

  async #open(): Promise<FileHandle> {
    try {
      const handle = await open(this.#path, 'wx', 0o600);
      this.#isOurs = true;
      return handle;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return await open(this.#path, 'w');
    }
  }

  #refusal(error: Error): UsageError {
    return new UsageError(`cannot write ${JSON.stringify(this.#path)}: ${error.message}`, 'export');
  }
}
