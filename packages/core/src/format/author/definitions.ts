import { agentDefinitions } from './agent-shapes.ts';
import { hookDefinitions } from './hook-shapes.ts';
import { listDefinitions, listReferenceDefinitions } from './list-shapes.ts';
import { mainDefinitions } from './main-shapes.ts';
import { promptDefinitions } from './prompt-shapes.ts';
import { resourceDefinitions } from './resource-shapes.ts';
import type { Definition } from './shape.ts';
import { toolDefinitions } from './tool-shapes.ts';
import { zDefinitions } from './z-shapes.ts';

/**
 * The format as authors write it. The one source of the types of this package, of its JSON Schema files and of the tables
 * in the documentation: `node docs/generate-format.ts` writes them all.
 */
export const definitions: readonly Definition[] = [
  ...mainDefinitions,
  ...toolDefinitions,
  ...zDefinitions,
  ...listReferenceDefinitions,
  ...resourceDefinitions,
  ...promptDefinitions,
  ...listDefinitions,
  ...agentDefinitions,
  ...hookDefinitions,
];
