import type { Layer } from '../../assess/layer.ts';

/** Not written yet. */
export const appsLayer: Layer = {
  name: 'apps',
  run: async () => ({ detected: false, state: 'not-evaluated', skipped: 'This layer is not part of this version.' }),
};
