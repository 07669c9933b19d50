export const skill = {
  name: 'choose-hour',
  version: 'schemakit-skill/1.0.0',
  description: 'Choose an hour for entering a harbour.',
  requires: { tools: ['tides/tool/getTides'] },
  input: [{ key: 'harbour', type: 'string', description: 'Where to go.', required: true }],
  content: `1. Get the tides of {{input:harbour}} with {{tool:tides/tool/getTides}}.
2. Take the next high water.`,
  output: 'An hour, and why.',
};
