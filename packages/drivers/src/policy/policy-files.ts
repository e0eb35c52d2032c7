/**
 * The file system as a decision sees it, at the moment of the decision. The policy itself is pure; its caller provides these
 * functions. Each may throw if the file system refuses: a person then decides.
 */
export interface PolicyFiles {
  /** The user's home folder. */
  readonly home: string;
  /** Returns the target of a symbolic link; null for any other file, undefined if there is none. */
  linkTarget(path: string): string | null | undefined;
  /** Returns a file, one character for each byte; undefined if there is none. */
  read(path: string): string | undefined;
  /** Returns the names in a folder; undefined if there is none. */
  list(path: string): readonly string[] | undefined;
}

/** The functions of `node:fs` that are needed. This package does not depend on Node. */
export interface FileSystemCalls {
  lstatSync(path: string): { isSymbolicLink(): boolean };
  readlinkSync(path: string): string;
  readdirSync(path: string): string[];
  openSync(path: string, flags: number): number;
  fstatSync(fd: number): { isFile(): boolean; isDirectory(): boolean; readonly size: number };
  readFileSync(fd: number, encoding: 'latin1'): string;
  closeSync(fd: number): void;
}

/** The limit of a file. An index of git has about 100 bytes for each file. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** The flags O_RDONLY | O_NONBLOCK on Linux: opening a pipe does not wait. */
const OPEN_FLAGS = 0o4000;

/** Reads the real file system. */
export function makePolicyFiles(fs: FileSystemCalls, home: string): PolicyFiles {
  const readFile = (path: string): string | undefined => {
    const fd = fs.openSync(path, OPEN_FLAGS);
    try {
      const info = fs.fstatSync(fd);
      if (info.isDirectory()) return undefined;
      if (!info.isFile() || info.size > FILE_BYTES_MAX) throw new Error(`${path} is not a file that can be read`);
      return fs.readFileSync(fd, 'latin1');
    } finally {
      fs.closeSync(fd);
    }
  };
  return {
    home,
    linkTarget: (path) => orMissing(() => (fs.lstatSync(path).isSymbolicLink() ? fs.readlinkSync(path) : null)),
    read: (path) => orMissing(() => readFile(path)),
    list: (path) => orMissing(() => fs.readdirSync(path)),
  };
}

/** Returns the result; undefined if the path is missing, or of another type than expected. */
function orMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
