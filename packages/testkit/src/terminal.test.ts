import { expect, test } from 'vitest';
import { Terminal } from './terminal.ts';

test('the last bytes of a program have been read when its end is reported, also by a process that was busy meanwhile', async () => {
  using terminal = new Terminal(['/bin/sh', '-c', 'printf ready; read x; printf "the last bytes"'], {});
  await terminal.sees('ready');
  terminal.type('\r');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // no event of this process is handled meanwhile
  await terminal.ended();
  expect(terminal.printed).toContain('the last bytes');
});
