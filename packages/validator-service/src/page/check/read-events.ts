interface ServerEvent {
  name: string;
  data: string;
}

/** The server-sent events of a body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== '') yield event;
    }
  }
}

function eventOf(block: string): ServerEvent {
  const lines = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
  const of = (field: string): string[] => lines.flatMap(([, name, value]) => (name === field ? (value ?? '') : []));
  return { name: of('event').at(-1) ?? 'message', data: of('data').join('\n') };
}
