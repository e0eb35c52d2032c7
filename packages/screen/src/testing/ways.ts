/** The ways from a model to another terminal; each must give the same state as all bytes. */
import { encodeKeyframe, restoreModel } from '../snapshot/keyframe.ts';
import { snapshot } from '../snapshot/snapshot.ts';
import type { PaintMethod } from './fidelity.ts';

export const ROUNDS = Number(process.env['SPOOL_FIDELITY_ROUNDS'] ?? 1);
export const SEED = Number(process.env['SPOOL_FIDELITY_SEED'] ?? 1);

export const WAYS: Readonly<Record<string, PaintMethod>> = {
  'the screen': { paint: (model) => snapshot(model), withHistory: false },
  'screen and history': { paint: (model) => snapshot(model, { history: Infinity }), withHistory: true },
  'a keyframe': {
    withHistory: true,
    paint(model) {
      const restored = restoreModel(encodeKeyframe(model))!;
      const painting = snapshot(restored, { history: Infinity });
      restored.dispose();
      return painting;
    },
  },
};
