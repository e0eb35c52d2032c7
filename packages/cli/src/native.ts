/**
 * Returns the native addon, or null. Every command uses it to be quick, but none needs it: `spool doctor` must run where the addon
 * is missing or broken, and report it.
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
