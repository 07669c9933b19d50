export const agent = {
  name: 'pilot',
  version: 'schemakit/3.0.0',
  description: 'Chooses the best hour for entering a harbour.',
  model: 'anthropic/claude-sonnet-5',
  systemPrompt: 'You help sailors to choose an hour for entering a harbour.',
  tools: { 'tides/tool/getTides': null },
  skills: { 'choose-hour': { file: './skills/choose-hour.mjs' } },
  // For a real model: schemakit agent test.
  tests: [
    {
      _description: 'One harbour',
      input: 'When should I enter Dover?',
      expectedTools: ['tides/tool/getTides'],
      expectedContent: ['11:20'],
    },
    {
      _description: 'Two harbours',
      input: 'Is there more water in Brest or in Dover?',
      expectedTools: ['tides/tool/getTides'],
      expectedContent: ['Brest'],
    },
    {
      _description: 'A unit',
      input: 'How many feet of water are there in Cuxhaven at high tide?',
      expectedTools: ['tides/tool/getTides'],
    },
  ],
};
