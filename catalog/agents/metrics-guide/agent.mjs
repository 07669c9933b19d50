// An agent over a Prometheus server at its default address (catalog/prometheus).
// Its tests were recorded with a scripted model and a Prometheus that watches itself.
export const agent = {
  name: 'metrics-guide',
  version: 'schemakit/3.0.0',
  description: 'Answers questions about what a Prometheus server measures.',
  model: 'anthropic/claude-sonnet-5',
  systemPrompt:
    'You explain what a Prometheus server measures. Find out which metrics there are before you write PromQL. Quote the query that you used.',
  tools: {
    'prometheus/tool/query': null,
    'prometheus/tool/getMetadata': null,
    'prometheus/tool/getLabelValues': null,
    'prometheus/tool/getTargets': null,
  },
  maxRounds: 8,
  tests: [
    {
      _description: 'Which targets are there',
      input: 'Which targets are scraped, and are they up?',
      expectedTools: ['prometheus/tool/getTargets'],
      expectedContent: ['up'],
    },
    {
      _description: 'What a metric means',
      input: 'What is prometheus_build_info?',
      expectedTools: ['prometheus/tool/getMetadata'],
      expectedContent: ['gauge'],
    },
    {
      _description: 'A query over what exists',
      input: 'Which jobs are there, and is each of them up?',
      expectedTools: ['prometheus/tool/getLabelValues', 'prometheus/tool/query'],
      expectedContent: ['prometheus', 'up'],
    },
  ],
};
