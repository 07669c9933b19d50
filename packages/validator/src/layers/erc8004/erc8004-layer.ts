import type { Layer } from '../../assess/layer.ts';

/** Not written yet. */
export const erc8004Layer: Layer = {
  name: 'erc8004',
  run: async () => ({ detected: false, state: 'not-evaluated', skipped: 'This layer is not part of this version.' }),
};
