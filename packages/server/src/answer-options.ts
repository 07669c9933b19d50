import { createToolCatalog, type ServedTool, type ToolCatalog } from './catalog/tool-catalog.ts';

/** How answers of tools are shaped for models. */
export interface AnswerOptions {
  /** Maximum length of an answer's text, in UTF-16 units. Longer answers are shortened, with a note on what is missing. Default 100,000. */
  maxAnswerLength?: number;
  /** Whether tools with an output schema also answer as text (`both`, the default) or with a short note beside it (`only`). */
  structured?: 'both' | 'only';
  /** The part of a tool's answer that clients get: a JMESPath expression by MCP name. */
  select?: Readonly<Record<string, string>>;
  /** Adds the argument `select` to tools, with which a model asks for a part of the answer. Default false. */
  selectArgument?: boolean;
}

/** Fits the context window of most models, with room for the conversation. */
export const defaultAnswerLength = 100_000;

const selectProperty = {
  type: 'string',
  description: 'Selects a part of the answer with a JMESPath expression, such as items[].name. Default: all of it.',
};

/** Adds the argument `select` to all tools but those that have one of that name or answer bytes. */
export function withSelectArgument({ tools, prompts, resources }: ToolCatalog): ToolCatalog {
  return createToolCatalog(tools.all.map(selectable), prompts.all, resources.standalone);
}

/** A tool that has the argument `select`. */
export function selectable(tool: ServedTool): ServedTool {
  const { listing } = tool;
  const properties = Object(listing.inputSchema.properties) as Record<string, unknown>;
  if (tool.isBinary || Object.hasOwn(properties, 'select')) return tool;
  const inputSchema = { ...listing.inputSchema, properties: { ...properties, select: selectProperty } as never };
  return {
    ...tool,
    listing: { ...listing, inputSchema },
    async call(args, options) {
      const { select, ...others } = Object(args) as Record<string, unknown>;
      if (select === undefined) return tool.call(args, options);
      if (typeof select === 'string') return tool.call(others, { ...options, select });
      return { content: [{ type: 'text', text: 'select: expected a JMESPath expression, as text.' }], isError: true };
    },
  };
}
