/** An alarm of `@spool/native` that follows the fake clock of a test: `vi.spyOn(native, 'createAlarm').mockImplementation(fakeAlarm)`. */
import type { Alarm } from '@spool/native';

export function fakeAlarm(onRing: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => clearTimeout(timer);
  const set = (ms: number): void => {
    close();
    timer = setTimeout(onRing, ms);
  };
  return { set, close };
}
