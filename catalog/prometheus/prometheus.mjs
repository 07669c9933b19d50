// Parameters and answers that several endpoints share.

const time = 'RFC 3339, such as 2026-01-31T12:00:00Z, or Unix seconds';

const start = {
  position: { key: 'start', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'string()', options: [`describe(Start of the time range: ${time})`, 'optional()'] },
};

const end = {
  position: { key: 'end', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'string()', options: [`describe(End of the time range: ${time})`, 'optional()'] },
};

const timeout = {
  position: { key: 'timeout', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'string()', options: ['describe(Evaluation timeout as a duration, such as 5s)', 'optional()'] },
};

// The API takes `match[]` several times. A parameter is sent once, so this is one selector; a regular expression on
// `__name__` selects several metrics at once.
const selector = 'such as up or node_cpu_seconds_total{job="node"} or {__name__=~"up|scrape_.*"}';

const match = {
  position: { key: 'match[]', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'string()', options: ['min(1)', `describe(One series selector, ${selector})`, 'optional()'] },
};

const limit = {
  position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'number()',
    options: ['min(1)', 'describe(Most entries to answer; older servers ignore it)', 'optional()'],
  },
};

// Every answer has this envelope. Errors (HTTP 400, 422, 503) never come this far.
const status = { type: 'string', description: 'success' };
const warnings = { type: 'array', items: { type: 'string' }, description: 'Only there when there are any' };
const labels = { type: 'object', description: 'Label names and their values' };

export const main = {
  namespace: 'prometheus',
  name: 'Prometheus',
  description: 'Query a Prometheus server: PromQL at one time or over a range, series, labels, targets and rules.',
  version: '3.0.0',
  docs: [
    'https://prometheus.io/docs/prometheus/latest/querying/api/',
    'https://prometheus.io/docs/prometheus/latest/querying/basics/',
  ],
  tags: ['monitoring', 'metrics', 'promql'],
  root: 'http://127.0.0.1:9090',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    query: {
      method: 'GET',
      path: '/api/v1/query',
      description: 'Evaluate a PromQL expression at one point in time, now by default.',
      parameters: [
        {
          position: { key: 'query', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(1)', 'describe(A PromQL expression)'] },
        },
        {
          position: { key: 'time', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: [`describe(When to evaluate: ${time})`, 'optional()'] },
        },
        timeout,
        limit,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            status,
            data: {
              type: 'object',
              properties: {
                resultType: { type: 'string', description: 'vector, matrix, scalar or string' },
                result: {
                  type: 'array',
                  description:
                    'vector: { metric, value: [unix seconds, "sample"] } for each series; matrix: { metric, values }; ' +
                    'scalar and string: [unix seconds, "value"]',
                },
              },
            },
            warnings,
          },
        },
      },
      tests: [
        { _description: 'Which targets are up', query: 'up' },
        { _description: 'Characters that need encoding', query: 'sum by (job) (up{job=~".+"}) + 1 > 0' },
        { _description: 'A scalar at a fixed time', query: '6 * 7', time: '2026-01-31T12:00:00Z' },
      ],
    },

    queryRange: {
      method: 'GET',
      path: '/api/v1/query_range',
      description: 'Evaluate a PromQL expression at every step of a time range.',
      parameters: [
        {
          position: { key: 'query', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(1)', 'describe(A PromQL expression)'] },
        },
        {
          position: { key: 'start', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: [`describe(First point in time: ${time})`] },
        },
        {
          position: { key: 'end', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: [`describe(Last point in time: ${time})`] },
        },
        {
          position: { key: 'step', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['describe(Distance of two points: 15s, 5m or seconds)', 'default(1m)'],
          },
        },
        timeout,
        limit,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            status,
            data: {
              type: 'object',
              properties: {
                resultType: { type: 'string', description: 'matrix' },
                result: {
                  type: 'array',
                  items: {
                    type: 'object',
                    description:
                      '{ metric, values: [[unix seconds, "sample"], …] } for each series; histograms: ' +
                      '[[unix seconds, native histogram], …] where it has any',
                  },
                },
              },
            },
            warnings,
          },
        },
      },
      tests: [
        {
          _description: 'A constant, every five minutes of an hour',
          query: 'vector(1)',
          start: '2026-01-31T12:00:00Z',
          end: '2026-01-31T13:00:00Z',
          step: '5m',
        },
        { _description: 'Unix seconds and the default step', query: 'up', start: '1769860800', end: '1769864400' },
        { _description: 'One point', query: 'time()', start: '1769860800', end: '1769860800', step: '1' },
      ],
    },

    getSeries: {
      method: 'GET',
      path: '/api/v1/series',
      description: 'List the series that match a selector, each as its set of labels.',
      parameters: [
        {
          position: { key: 'match[]', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(1)', `describe(One series selector, ${selector})`] },
        },
        start,
        end,
        limit,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: { status, data: { type: 'array', items: labels }, warnings },
        },
      },
      tests: [
        { _description: 'One metric', 'match[]': 'up' },
        { _description: 'Several metrics', 'match[]': '{__name__=~"up|scrape_.*"}', limit: 5 },
        { _description: 'Nothing matches', 'match[]': 'no_such_metric' },
      ],
    },

    getLabels: {
      method: 'GET',
      path: '/api/v1/labels',
      description: 'List the names of all labels, or of the labels of matching series.',
      parameters: [match, start, end, limit],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: { status, data: { type: 'array', items: { type: 'string' } }, warnings },
        },
      },
      tests: [
        { _description: 'All labels' },
        { _description: 'Labels of one metric', 'match[]': 'up' },
        { _description: 'In a time range', start: '1769860800', end: '1769864400' },
      ],
    },

    getLabelValues: {
      method: 'GET',
      path: '/api/v1/label/{{label}}/values',
      description: 'List the values of a label. The label __name__ has the names of all metrics.',
      parameters: [
        {
          position: { key: 'label', value: '{{USER_PARAM}}', location: 'insert' },
          // Names with other characters have an escaped form, U__http_2e_status, that fits as well.
          z: { primitive: 'string()', options: ['regex(^[a-zA-Z_][a-zA-Z0-9_:]*$)', 'describe(A label, such as job)'] },
        },
        match,
        start,
        end,
        limit,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: { status, data: { type: 'array', items: { type: 'string' } }, warnings },
        },
      },
      tests: [
        { _description: 'All jobs', label: 'job' },
        { _description: 'Metric names that match', label: '__name__', 'match[]': '{__name__=~"scrape_.*"}' },
        { _description: 'A label that nothing has', label: 'no_such_label' },
      ],
    },

    getTargets: {
      method: 'GET',
      path: '/api/v1/targets',
      description: 'Show what is scraped: where, how healthy it is, and the last error.',
      parameters: [
        {
          position: { key: 'state', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(active,dropped,any)', options: ['default(active)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            status,
            data: {
              type: 'object',
              properties: {
                activeTargets: {
                  type: 'array',
                  items: {
                    type: 'object',
                    description:
                      '{ labels, discoveredLabels, scrapePool, scrapeUrl, globalUrl (as seen from other machines), ' +
                      'health (up, down or unknown), lastError, lastScrape, lastScrapeDuration (seconds), ' +
                      'scrapeInterval, scrapeTimeout }',
                  },
                },
                droppedTargets: { type: 'array', items: { type: 'object' } },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'What is scraped' },
        { _description: 'What relabelling dropped', state: 'dropped' },
        { _description: 'Both', state: 'any' },
      ],
    },

    getRules: {
      method: 'GET',
      path: '/api/v1/rules',
      description: 'List alerting and recording rules by group, with the alerts that are active now.',
      parameters: [
        {
          position: { key: 'type', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(alert,record)', options: ['describe(Only rules of this type)', 'optional()'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            status,
            data: {
              type: 'object',
              properties: {
                groups: {
                  type: 'array',
                  items: {
                    type: 'object',
                    description:
                      '{ name, file, interval (seconds), limit (most alerts or series; 0 is no limit), ' +
                      'evaluationTime (seconds), lastEvaluation, ' +
                      'rules: [{ type: "alerting" or "recording", name, query, health, … }, …] }',
                  },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'All rules' },
        { _description: 'Only alerts', type: 'alert' },
        { _description: 'Only recorded expressions', type: 'record' },
      ],
    },

    getMetadata: {
      method: 'GET',
      path: '/api/v1/metadata',
      description: 'Show the type, help text and unit of metrics that are scraped now.',
      parameters: [
        {
          position: { key: 'metric', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['describe(A metric; all without it)', 'optional()'] },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'describe(Most metrics to answer)', 'default(100)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            status,
            data: { type: 'object', description: 'For each metric a list of { type, help, unit }' },
          },
        },
      },
      tests: [
        { _description: 'Three metrics', limit: 3 },
        { _description: 'One metric', metric: 'prometheus_build_info' },
        { _description: 'A metric that nobody exposes', metric: 'no_such_metric' },
      ],
    },
  },
};
