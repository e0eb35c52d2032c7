/**
 * The target of an export. It is opened with the first text, so that an export that fails before that changes nothing; an export
 * that fails later removes the file that it created. Keeps a part of PAST-40, the rule about existing files.
 */
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { errnoOf, errnoWords, osErrorText } from '../command-line/os-error.ts';
import { UsageError } from '../command-line/usage-error.ts';

export interface ExportFileOptions {
  /** Whether to replace a file that exists. */
  readonly mayReplace?: boolean | undefined;
  /** Whether to write the file with gzip. */
  readonly isCompressed?: boolean | undefined;
}

export class ExportFile implements AsyncDisposable {
  readonly #path: string;
  readonly #options: ExportFileOptions;
  readonly #failed = Promise.withResolvers<never>();
  #stream: Writable | undefined;
  /** Settles when compressed output has reached the file. */
  #written: Promise<void> | undefined;
  /** Whether the file was created here, so that it is neither another program's file nor a device. */
  #isOurs = false;
  #isComplete = false;

  constructor(path: string, options: ExportFileOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#failed.promise.catch(() => {}); // the writer gets the error
  }

  /** Refuses at once a file that exists, which `write` would refuse after the work. Devices and pipes do not count as files. */
  async check(): Promise<void> {
    if (this.#options.mayReplace === true) return;
    const there = await stat(this.#path).catch(() => null);
    if (there?.isFile() === true) throw this.#exists();
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
    await Promise.race([this.#failed.promise, this.#written ?? finished(stream)]);
    this.#isComplete = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.destroy();
    if (this.#isOurs && !this.#isComplete) await rm(this.#path, { force: true });
  }

  async #opened(): Promise<Writable> {
    if (this.#stream) return this.#stream;
    const handle = await this.#open().catch((error: Error) => Promise.reject(this.#refusal(error)));
    const target = handle.createWriteStream();
    target.on('error', (error) => this.#failed.reject(this.#failure(error)));
    this.#stream = this.#options.isCompressed === true ? await this.#compressed(target) : target;
    return this.#stream;
  }

  async #compressed(target: Writable): Promise<Writable> {
    const { createGzip } = await import('node:zlib');
    const gzip = createGzip();
    this.#written = finished(target);
    this.#written.catch(() => {}); // `#failed` reports it
    gzip.pipe(target);
    return gzip;
  }

  async #open(): Promise<FileHandle> {
    try {
      const handle = await open(this.#path, 'wx', 0o600);
      this.#isOurs = true;
      return handle;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await this.check();
      return await open(this.#path, 'w');
    }
  }

  #exists(): UsageError {
    return new UsageError(`${JSON.stringify(this.#path)} exists already; use --force to replace it`, 'export');
  }

  /** The file could be opened, but not written, so the command line was correct. */
  #failure(error: Error): Error {
    Object.assign(error, { syscall: 'write', path: this.#path });
    return Object.assign(error, { message: osErrorText(error) });
  }

  #refusal(error: Error): UsageError {
    if (error instanceof UsageError) return error;
    const why = errnoWords(errnoOf(error) ?? error.message);
    return new UsageError(`cannot write ${JSON.stringify(this.#path)}: ${why}`, 'export');
  }
}
