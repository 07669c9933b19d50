// What any process behind a wall has to do at least: reads the JSON that it is sent, writes it anew and sends it back.
process.on('message', ({ text }: { text: string }) => process.send?.(JSON.stringify(JSON.parse(text))));
process.once('disconnect', () => process.exit());
process.send?.('ready');
