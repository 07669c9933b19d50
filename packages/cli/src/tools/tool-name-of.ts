import { type ToolPlace, toolNames } from '@schemakit/core';

/** The name of a tool on the command line, `<namespace>_<toolName>` (specification 2.3). */
export function toolNameOf({ namespace, toolName }: ToolPlace): string {
  return toolNames({ namespace, toolName }).cli;
}
