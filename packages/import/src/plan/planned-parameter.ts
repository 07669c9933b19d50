import type { Shape } from './shape.ts';

/** A value in a request, as the format will have it. */
export interface PlannedParameter {
  key: string;
  location: 'insert' | 'query' | 'header' | 'cookie' | 'body';
  shape: Shape;
  /** A fixed value or a secret. Without it, the caller gives the value. */
  value?: string;
  style?: string;
  explode?: boolean;
  whole?: true;
  /** Values that the document gives as examples, the best first. */
  examples: readonly unknown[];
  /** The description in the document, where the shape has only its beginning. */
  fullText?: string;
}

/** A required value of which there is only one is sent without asking for it. */
export function withFixedValue(parameter: PlannedParameter): PlannedParameter {
  const { type, values = [], optional, description } = parameter.shape;
  const only = parameter.shape.only ?? (values.length === 1 ? values[0] : undefined);
  // In a fixed text, braces would be a placeholder.
  if (only === undefined || optional || parameter.value !== undefined || String(only).includes('{{')) return parameter;
  const shape = { type: type === 'enum' ? 'string' : type, ...(description !== undefined && { description }) } as const;
  return { ...parameter, value: String(only), shape };
}
