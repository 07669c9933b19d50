import type { JsonObject } from './json.ts';
import type { Template } from './template.ts';
import type { ZExpression } from './z/z-expression.ts';

/** Something that a caller may pass to a tool. */
export interface Input {
  /** The name that callers see: the parameter's `position.key`, or the placeholder's own name in a composite value. */
  name: string;
  /** Other names under which the same input is accepted. */
  aliases: readonly string[];
  z: ZExpression;
  description?: string;
}

/** Where the value of a parameter goes in the request. */
export interface Placement {
  key: string;
  location: 'query' | 'insert' | 'body';
  /** The value to send: literal text, inputs and secrets. */
  value: Template;
  /** Whether the placement is left out when one of its inputs is absent. */
  optional: boolean;
}

/** One header of a request. */
export interface Header {
  name: string;
  value: Template;
}

/** What a tool declares about its answers. */
export interface Output {
  mimeType: string;
  schema?: JsonObject;
}

/** A tool as the runtime needs it: read from `main`, checked, with its placeholders resolved. */
export interface Tool {
  name: string;
  description: string;
  method: string;
  /** `root` and `path` in one template; `insert` placements stand in it as `{ kind: 'insert', key }`. */
  url: Template;
  headers: readonly Header[];
  inputs: readonly Input[];
  placements: readonly Placement[];
  output?: Output;
  /** Names of the secrets that a request of this tool carries. */
  secrets: readonly string[];
  /** Seconds for which an answer may be reused (`preload`). */
  ttlSeconds?: number;
}
