/**
 * Handles a bell: the pane flashes, and sounds if the user wants that; not more often than it can be seen. Keeps the bell of
 * PAGE-41.
 */
import { useSettings } from '../settings/settings.ts';

const FLASH_MS = 250;
const TONE_MS = 90;
const TONE_HZ = 660;
const LOUDNESS = 0.08;

let lastAt = Number.NEGATIVE_INFINITY;

export function ring(box: HTMLElement): void {
  const { bell } = useSettings.getState();
  const now = performance.now();
  if (bell === 'none' || now - lastAt < 2 * FLASH_MS) return;
  lastAt = now;
  box.dataset['rings'] = '';
  setTimeout(() => delete box.dataset['rings'], FLASH_MS);
  if (bell === 'heard') sound();
}

function sound(): void {
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = TONE_HZ;
  volume.gain.value = LOUDNESS;
  tone.connect(volume).connect(context.destination);
  tone.onended = () => void context.close();
  tone.start();
  tone.stop(context.currentTime + TONE_MS / 1000);
}
