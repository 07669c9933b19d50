import type { StartOptions } from '@schemakit/validator';

const texts = {
  connect: 'Connecting',
  discover: 'Listing what is offered',
  probe: 'Calling tools',
  validate: 'Checking terms and authorization',
  classify: 'Sorting what was found',
  snapshot: 'Writing it down',
} as const;

/** Tells a person at a terminal which step is going on, in one line that goes away. */
export function showSteps(): NonNullable<StartOptions['onProgress']> {
  if (process.stderr.isTTY !== true) return () => {};
  return ({ step, state }) => process.stderr.write(state === 'begin' ? `\r\u001b[K${texts[step]}…` : '\r\u001b[K');
}
