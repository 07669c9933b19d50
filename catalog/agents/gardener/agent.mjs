// An agent over the demo API of this project: `schemakit demo` shows it, garden.mjs describes it.
// Its tests were recorded with a scripted model, so `schemakit agent test … --replay` needs no key.
export const agent = {
  name: 'gardener',
  version: 'schemakit/3.0.0',
  description:
    'Answers questions about a kitchen garden: what grows there, when to sow and to pick it, and how dry the soil is.',
  model: 'anthropic/claude-sonnet-5',
  systemPrompt:
    'You look after a kitchen garden. Answer briefly, from what the tools say and nothing else. Name plants by their common names.',
  tools: {
    'garden/tool/searchPlants': null,
    'garden/tool/getPlant': null,
    'garden/tool/getCalendar': null,
    'garden/tool/readSoil': null,
  },
  maxRounds: 6,
  tests: [
    {
      _description: 'What to sow in a month',
      input: 'What can I sow in March?',
      expectedTools: ['garden/tool/getCalendar'],
      expectedContent: ['broad bean'],
    },
    {
      _description: 'Two facts about one plant',
      input: 'How tall does the sunflower get, and in which bed is it?',
      expectedTools: ['garden/tool/getPlant'],
      expectedContent: ['250', 'south'],
    },
    {
      _description: 'A search, then the soil of a bed',
      input: 'Do the leeks need water?',
      expectedTools: ['garden/tool/searchPlants', 'garden/tool/readSoil'],
      expectedContent: [{ field: 'title', contains: 'leek' }],
    },
  ],
};
