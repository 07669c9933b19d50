/** What a text of a prompt can name besides its inputs. */
export type PromptTargetKind = 'tool' | 'resource' | 'skill' | 'prompt';

/** A piece of the text of a prompt. `name` is as its author wrote it; `promptTargets` says what it can mean. */
export type PromptPart =
  | { kind: 'text'; text: string }
  | { kind: PromptTargetKind; name: string }
  /** A value from the caller, by the name of the argument. */
  | { kind: 'input'; name: string };

/** A value that a caller passes. */
export interface PromptArgument {
  name: string;
  description?: string;
  required: boolean;
  type: 'string' | 'number' | 'boolean' | 'enum';
  /** What the value may be (`enum`); for other types, what it usually is. */
  values?: readonly string[];
}

/** Another prompt that is handed out together with the one that names it. */
export interface PromptReference {
  kind: 'skill' | 'prompt';
  /** As its author wrote it. */
  name: string;
}

/** A text for models: the steps of a workflow (skill), or an explanation of a provider's tools (prompt) (specification 1). */
export interface Prompt {
  /** The key in `main`; unique among the skills, and among the prompts, of a schema. */
  name: string;
  kind: 'skill' | 'prompt';
  /** Empty where nobody wrote one. */
  description: string;
  arguments: readonly PromptArgument[];
  content: readonly PromptPart[];
  references: readonly PromptReference[];
}

/** What `main` says about a skill or a prompt. The rest stands in its file. */
export interface PromptDefinition {
  name: string;
  kind: 'skill' | 'prompt';
  /** Where in `main` it stands. */
  path: string;
  /** A file of the schema's folder, relative to it; some schemas have the text itself. */
  source: { file: string } | { content: string };
  description?: string;
  dependsOn?: readonly string[];
  references?: readonly string[];
}
