// The least that a sandbox in another process must do: parse the JSON that it gets, write it again and send it back.
process.on('message', ({ text }: { text: string }) => process.send?.(JSON.stringify(JSON.parse(text))));
process.once('disconnect', () => process.exit());
process.send?.('ready');
