/** Small C programs for tests and benchmarks, compiled on first use. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../programs/', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../dist/testkit/', import.meta.url));

/** Returns the path of the compiled program. */
export function program(name: string): string {
  const source = `${SOURCES}${name}.c`;
  const built = `${BUILT}${name}`;
  if (existsSync(built) && statSync(built).mtimeMs >= statSync(source).mtimeMs) return built;
  mkdirSync(BUILT, { recursive: true });
  const temporary = `${built}.${process.pid}`;
  const { status, stderr } = spawnSync('cc', ['-O2', '-o', temporary, source, '-lutil'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}.c does not compile:\n${stderr}`);
  renameSync(temporary, built);
  return built;
}
