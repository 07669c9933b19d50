import type { Layer } from '../../assess/layer.ts';

/** Finds the agent card; does not check it yet. */
export const a2aLayer: Layer = {
  name: 'a2a',
  async run({ shared }) {
    const { document } = await shared.card();
    if (document === undefined)
      return { detected: false, state: 'not-detected', skipped: 'The origin of the URL has no agent card.' };
    return { detected: false, state: 'not-evaluated', skipped: 'Agent cards are not checked in this version.' };
  },
};
