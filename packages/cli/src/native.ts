/**
 * The native addon, or null. Every command uses it to be quick, none needs it: `spool doctor` must run where it is missing or broken,
 * to say so.
 */
import type { Native } from '@spool/native';
import { loadNative } from '@spool/native/load';

export const native: Native | null = loaded();

function loaded(): Native | null {
  try {
    return loadNative();
  } catch {
    return null;
  }
}
