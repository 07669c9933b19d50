import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import type { Shape } from './shape.ts';

/** The value of the discriminating member for a variant (OpenAPI, "Discriminator Object"): from the mapping, else the component's name. */
export function kindOf(variant: unknown, { mapping }: JsonObject): string | undefined {
  const ref = isObject(variant) && typeof variant.$ref === 'string' ? variant.$ref : undefined;
  if (ref === undefined) return undefined;
  const mapped = isObject(mapping)
    ? Object.entries(mapping).find(([, target]) => target === ref || ref.endsWith(`/${target}`))
    : undefined;
  return (
    mapped?.[0] ??
    ref
      .replace(/\.(json|ya?ml)$/i, '')
      .split(/\/|~1/)
      .at(-1)
  );
}

/** The shape of a variant whose discriminating member has only its own kind. */
export function withKind(shape: Shape, member: string, kind: string | undefined): Shape {
  const known = shape.properties?.[member];
  if (shape.properties === undefined || known?.values?.length === 1 || kind === undefined) return shape;
  const { description } = known ?? {};
  const only: Shape = { type: 'enum', values: [kind], ...(description !== undefined && { description }) };
  return { ...shape, properties: { ...shape.properties, [member]: only } };
}
