import type { ChosenSchema } from './choose-tools.ts';

/** How a server of these schemas is described. */
export function describeTools(schemas: readonly ChosenSchema[]): {
  title?: string;
  description: string;
  prompts: number;
} {
  const mains = schemas.map(({ loaded }) => loaded.main ?? {});
  const [only, ...others] = mains as { name?: string; description?: string }[];
  const prompts = schemas.reduce((sum, { loaded }) => sum + loaded.prompts.length, 0);
  if (others.length === 0)
    return { ...(only?.name && { title: only.name }), description: only?.description ?? '', prompts };
  const names = [...new Set(mains.map(({ name }) => String(name)))];
  return { description: `Tools for ${names.join(', ')}.`, prompts };
}

/** The secrets that the tools need, each once. */
export function secretsOfTools(schemas: readonly ChosenSchema[]): string[] {
  return [...new Set(schemas.flatMap(({ exposed }) => exposed.flatMap((tool) => tool.requiredServerParams)))].sort();
}
