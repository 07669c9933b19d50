import type { ServedPrompt } from '@schemakit/server';
import { png } from './fixture-api.ts';

type Messages = Extract<Awaited<ReturnType<ServedPrompt['get']>>, { ok: true }>['messages'];

/** The prompts of the suite that have more in them than text. */
export const fixturePrompts: ServedPrompt[] = [
  servedPrompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) => [
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
    },
    { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
  ]),
  servedPrompt('test_prompt_with_image', [], () => [
    { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ]),
];

export function servedPrompt(
  name: string,
  args: readonly string[],
  messages: (args: Partial<Record<string, string>>) => Messages,
): ServedPrompt {
  return {
    listing: {
      name,
      title: name,
      description: `Prompt ${name}.`,
      arguments: args.map((argument) => ({ name: argument, description: 'An address.', required: true })),
    },
    namespace: 'suite',
    get: (given) => ({ ok: true, messages: messages(Object(given)) }),
    complete: () => [],
  };
}
