/** The ways from a model to another terminal; each must be as good as having seen everything. */
import { encodeKeyframe, restoreModel } from '../snapshot/keyframe.ts';
import { snapshot } from '../snapshot/snapshot.ts';
import type { Way } from './fidelity.ts';

export const ROUNDS = Number(process.env['SPOOL_FIDELITY_ROUNDS'] ?? 1);
export const SEED = Number(process.env['SPOOL_FIDELITY_SEED'] ?? 1);

export const WAYS: Readonly<Record<string, Way>> = {
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
