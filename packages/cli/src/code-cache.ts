/**
 * Loads the chunks of the command line with the compiled code that an earlier command of the same verb has left. Keeps SPEED-6.
 *
 * Node's own compile cache stores a file in its state before it runs, so each start compiles every function that it calls again: 4
 * of the 12 ms that `ls` took (decision 280). This cache is written when a command has succeeded, with the functions that it has
 * used.
 *
 * A cache is stored beside the bundle, because only users who can change the code can write there. V8 refuses the code of another
 * version or of other options, and then compiles; but it trusts the bytes, so a file is complete and on the disk before it gets its
 * name.
 *
 * Part of the entry point: imports nothing that is in another chunk.
 */
import {
  accessSync,
  closeSync,
  constants as modes,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Script } from 'node:vm';

/** The beginning of a cache: the chunks in it with their lengths, and the first chunk of the build that has written it. */
interface CacheHeader {
  readonly build: string;
  /** False after a command that failed, because it may have used little of its code. */
  readonly isWhole: boolean;
  readonly chunks: readonly (readonly [name: string, bytes: number])[];
}

/** The alignment of compiled code in a file: V8 copies code that begins elsewhere. */
const ALIGNMENT = 8;

export class CodeCache {
  readonly #folder: string;
  readonly #path: string;
  readonly #requireBuiltin: NodeJS.Require;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #scripts = new Map<string, Script>();
  #build = '';
  /** Sources in memory, by path. */
  #held: ReadonlyMap<string, Buffer> = new Map();
  /** The compiled code of each chunk. */
  #stored = new Map<string, Uint8Array>();
  /** Whether a chunk was loaded that had no compiled code. */
  isMissed = false;
  #isWhole = false;

  /** `folder`: the folder of the bundle. `verb`: the first word of the command. */
  constructor(folder: string, verb: string, requireBuiltin: NodeJS.Require) {
    this.#folder = folder;
    this.#requireBuiltin = requireBuiltin;
    const name = /^[a-z][a-z-]*$/.test(verb) ? verb : 'others';
    this.#path = `${folder}/code-cache/${process.version}-${process.arch}/${name}`;
  }

  /** Does for the code of the bundle what `require` does: loads chunks and Node's builtins. */
  readonly require = (id: string): unknown => {
    if (!id.startsWith('.')) return this.#requireBuiltin(id) as unknown;
    const name = id.slice(id.lastIndexOf('/') + 1);
    if (this.#modules.size === 0) this.#read(name);
    return (this.#modules.get(name) ?? this.#load(name)).exports;
  };

  /** Loads chunks from these sources, by path, from now on. */
  hold(sources: ReadonlyMap<string, Buffer>): void {
    this.#held = sources;
  }

  /**
   * Writes the cache of this verb if it lacks a chunk, or if the command has succeeded (`isWhole`) and no earlier one has. A
   * failure only makes the next start slower.
   */
  keep(isWhole: boolean): void {
    if (!this.isMissed && (this.#isWhole || !isWhole)) return;
    this.isMissed = false;
    this.#isWhole ||= isWhole;
    const temporary = `${this.#path}.${process.pid}`;
    try {
      accessSync(this.#folder, modes.W_OK);
      mkdirSync(this.#path.slice(0, this.#path.lastIndexOf('/')), { recursive: true, mode: 0o755 }); // whatever the umask is
      const file = openSync(temporary, 'wx', 0o644);
      try {
        writeFileSync(file, this.#written());
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, this.#path);
    } catch {
      // The folder of another user, or a full disk.
      try {
        unlinkSync(temporary);
      } catch {
        // The file never existed.
      }
    }
  }

  #load(name: string): { exports: unknown } {
    const path = `${this.#folder}/chunks/${name}`;
    const cachedData = this.#stored.get(name);
    const source = this.#held.get(path) ?? readFileSync(path);
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${source.toString()}\n})`, {
      filename: path,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (script.cachedDataRejected !== false) this.isMissed = true;
    this.#scripts.set(name, script);
    const module = { exports: {} };
    this.#modules.set(name, module);
    const run = script.runInThisContext() as (...names: unknown[]) => void;
    run(module.exports, this.require, module, path, `${this.#folder}/chunks`);
    return module;
  }

  #read(build: string): void {
    this.#build = build;
    try {
      const bytes = readFileSync(this.#path);
      const end = bytes.indexOf('\n') + 1;
      const header = JSON.parse(bytes.toString('latin1', 0, end)) as CacheHeader;
      if (header.build !== build) return;
      this.#isWhole = header.isWhole;
      let at = end;
      for (const [name, length] of header.chunks) {
        this.#stored.set(name, bytes.subarray(at, at + length));
        at = aligned(at + length);
      }
      if (at !== bytes.length) this.#stored.clear();
    } catch {
      // There is no cache.
    }
  }

  #written(): Uint8Array {
    const all = new Map(this.#stored);
    for (const [name, script] of this.#scripts) all.set(name, script.createCachedData());
    const text = JSON.stringify({
      build: this.#build,
      isWhole: this.#isWhole,
      chunks: [...all].map(([name, { length }]) => [name, length] as const),
    } satisfies CacheHeader);
    const parts = [Buffer.from(`${text.padEnd(aligned(text.length + 1) - 1)}\n`)];
    for (const bytes of all.values())
      parts.push(Buffer.from(bytes), Buffer.alloc(aligned(bytes.length) - bytes.length));
    return Buffer.concat(parts);
  }
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
