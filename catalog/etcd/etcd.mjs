// etcd's gateway speaks JSON with base64 keys and values, 64-bit numbers as text, and leaves out what is zero or empty.
// Callers of these tools see plain text, numbers and complete answers; the handlers at the end translate.

const header = {
  type: 'object',
  properties: {
    cluster_id: { type: 'string' },
    member_id: { type: 'string' },
    revision: { type: 'string', description: 'Revision of the whole store' },
    raft_term: { type: 'string' },
  },
};

const keyValue = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    value: { type: 'string' },
    encoding: { type: 'string', description: 'base64 where key or value is not UTF-8 text; both stay encoded then' },
    create_revision: { type: 'string' },
    mod_revision: { type: 'string', description: 'Revision of the last change' },
    version: { type: 'string', description: 'Number of changes since the key was created' },
    lease: { type: 'string', description: 'Lease that the key goes with' },
  },
};

const keyValues = {
  type: 'object',
  properties: {
    header,
    kvs: { type: 'array', items: keyValue },
    more: { type: 'boolean', description: 'Whether the limit left keys out' },
    count: { type: 'integer', description: 'How many keys there are, whatever the limit' },
  },
};

const key = {
  position: { key: 'key', value: '{{USER_PARAM}}', location: 'body' },
  z: { primitive: 'string()', options: ['min(1)', 'describe(The key as plain text)'] },
};

const prevKv = {
  position: { key: 'prev_kv', value: 'true', location: 'body' },
  z: { primitive: 'boolean()', options: [] },
};

export const main = {
  namespace: 'etcd',
  name: 'etcd',
  description: 'Read and write keys of an etcd v3 cluster as plain text, with leases and the state of the cluster.',
  version: '3.0.0',
  docs: [
    'https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/',
    'https://etcd.io/docs/latest/dev-guide/api_reference_v3/',
  ],
  tags: ['database', 'keyValue', 'configuration'],
  root: 'http://127.0.0.1:2379',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    putKey: {
      method: 'POST',
      path: '/v3/kv/put',
      description: 'Set a key to a value. Answers the value that it had before, if any.',
      parameters: [
        key,
        {
          position: { key: 'value', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['describe(The value as plain text)'] },
        },
        {
          position: { key: 'lease', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['regex(^\\d+$)', 'describe(ID of a lease to go with)', 'optional()'] },
        },
        prevKv,
      ],
      output: { mimeType: 'application/json', schema: { type: 'object', properties: { header, prev_kv: keyValue } } },
      tests: [
        { _description: 'A key', key: 'catalog/greeting', value: 'hello' },
        { _description: 'Text beyond ASCII', key: 'catalog/wörter/größe', value: '二十 🌱' },
        { _description: 'An empty value', key: 'catalog/empty', value: '' },
      ],
    },

    getKey: {
      method: 'POST',
      path: '/v3/kv/range',
      description: 'Get the value of one key, now or at an earlier revision.',
      parameters: [
        key,
        {
          position: { key: 'revision', value: '{{USER_PARAM}}', location: 'body' },
          z: {
            primitive: 'number()',
            options: ['min(1)', 'describe(Read as of this revision; now without it)', 'optional()'],
          },
        },
      ],
      output: { mimeType: 'application/json', schema: keyValues },
      tests: [
        { _description: 'A key', key: 'catalog/greeting' },
        { _description: 'Text beyond ASCII', key: 'catalog/wörter/größe' },
        { _description: 'A key that is not there', key: 'catalog/missing' },
      ],
    },

    listKeys: {
      method: 'POST',
      path: '/v3/kv/range',
      description: 'List the keys that start with a prefix, in order.',
      parameters: [
        {
          position: { key: 'prefix', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['describe(All keys without it)', 'optional()'] },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'number()', options: ['min(1)', 'max(1000)', 'default(100)'] },
        },
        {
          position: { key: 'keys_only', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'boolean()', options: ['describe(Leave every value empty)', 'default(false)'] },
        },
      ],
      output: { mimeType: 'application/json', schema: keyValues },
      tests: [
        { _description: 'A prefix', prefix: 'catalog/' },
        { _description: 'Names only', prefix: 'catalog/', keys_only: true },
        { _description: 'The first of all keys', limit: 1 },
      ],
    },

    deleteKey: {
      method: 'POST',
      path: '/v3/kv/deleterange',
      description: 'Delete one key. Answers the value that it had.',
      parameters: [key, prevKv],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            header,
            deleted: { type: 'integer', description: '1, or 0 when there was no such key' },
            prev_kvs: { type: 'array', items: keyValue },
          },
        },
      },
      tests: [
        { _description: 'A key', key: 'catalog/greeting' },
        { _description: 'Text beyond ASCII', key: 'catalog/wörter/größe' },
        { _description: 'A key without a value', key: 'catalog/empty' },
      ],
    },

    grantLease: {
      method: 'POST',
      path: '/v3/lease/grant',
      description: 'Create a lease. Keys put with it are deleted when its time is up.',
      parameters: [
        {
          position: { key: 'TTL', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'number()', options: ['min(1)', 'describe(Seconds to live)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            header,
            ID: { type: 'string', description: 'For putKey and getLease' },
            TTL: { type: 'integer', description: 'Seconds; short ones are raised to what the cluster can keep' },
          },
        },
      },
      tests: [
        { _description: 'A minute', TTL: 60 },
        { _description: 'Ten seconds', TTL: 10 },
        { _description: 'The shortest', TTL: 1 },
      ],
    },

    getLease: {
      method: 'POST',
      path: '/v3/lease/timetolive',
      description: 'Show how long a lease has to live, and the keys that go with it.',
      parameters: [
        {
          position: { key: 'ID', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['regex(^\\d+$)', 'describe(An ID that grantLease answers)'] },
        },
        {
          position: { key: 'keys', value: 'true', location: 'body' },
          z: { primitive: 'boolean()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            header,
            ID: { type: 'string' },
            TTL: { type: 'integer', description: 'Seconds left; -1 when there is no such lease' },
            grantedTTL: { type: 'integer' },
            keys: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      tests: [
        { _description: 'A lease that was never granted', ID: '1' },
        { _description: 'An ID beyond what a double can count', ID: '9007199254740993' },
        { _description: 'The largest ID', ID: '9223372036854775807' },
      ],
    },

    getStatus: {
      method: 'POST',
      path: '/v3/maintenance/status',
      description: 'Show the version, database size and leader of the member that answers.',
      parameters: [],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            header,
            version: { type: 'string' },
            dbSize: { type: 'string', description: 'Bytes' },
            dbSizeInUse: { type: 'string', description: 'Bytes' },
            leader: { type: 'string', description: 'ID of a member' },
            raftIndex: { type: 'string' },
            raftTerm: { type: 'string' },
            raftAppliedIndex: { type: 'string' },
            errors: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      tests: [
        { _description: 'The status' },
        { _description: 'Again: reading changes nothing' },
        { _description: 'And once more' },
      ],
    },

    listMembers: {
      method: 'POST',
      path: '/v3/cluster/member/list',
      description: 'List the members of the cluster with their addresses.',
      parameters: [],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            header,
            members: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  ID: { type: 'string' },
                  name: { type: 'string' },
                  peerURLs: { type: 'array', description: 'URLs for other members' },
                  clientURLs: { type: 'array', description: 'URLs for clients' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'The members' },
        { _description: 'Again: reading changes nothing' },
        { _description: 'And once more' },
      ],
    },
  },
};

export const handlers = () => ({
  putKey: {
    preRequest: async ({ struct }) => {
      const { key, value } = struct.body;
      return withBody(struct, { ...struct.body, key: toBase64(key), value: toBase64(value) });
    },
    postRequest: async ({ response: { prev_kv, ...rest } }) => ({
      response: prev_kv ? { ...rest, prev_kv: readKeyValue(prev_kv) } : rest,
    }),
  },

  getKey: {
    preRequest: async ({ struct }) => withBody(struct, { ...struct.body, key: toBase64(struct.body.key) }),
    postRequest: async ({ response }) => ({ response: readKeyValues(response) }),
  },

  listKeys: {
    preRequest: async ({ struct }) => {
      const { prefix = '', ...rest } = struct.body;
      return withBody(struct, { ...rest, ...prefixRange(prefix) });
    },
    postRequest: async ({ response }) => ({ response: readKeyValues(response) }),
  },

  deleteKey: {
    preRequest: async ({ struct }) => withBody(struct, { ...struct.body, key: toBase64(struct.body.key) }),
    postRequest: async ({ response: { deleted = 0, prev_kvs = [], ...rest } }) => ({
      response: { ...rest, deleted: Number(deleted), prev_kvs: prev_kvs.map(readKeyValue) },
    }),
  },

  grantLease: {
    postRequest: async ({ response }) => ({ response: { ...response, TTL: Number(response.TTL) } }),
  },

  getLease: {
    postRequest: async ({ response: { TTL = 0, grantedTTL = 0, keys = [], ...rest } }) => ({
      response: { ...rest, TTL: Number(TTL), grantedTTL: Number(grantedTTL), keys: keys.map(toText) },
    }),
  },
});

const withBody = (struct, body) => ({ struct: { ...struct, body } });

const toBase64 = (text) => Buffer.from(text, 'utf8').toString('base64');

const toText = (base64) => Buffer.from(base64, 'base64').toString('utf8');

const isText = (base64) => toBase64(toText(base64)) === base64;

function readKeyValue({ key, value = '', ...rest }) {
  if (!isText(key) || !isText(value)) return { key, value, encoding: 'base64', ...rest };
  return { key: toText(key), value: toText(value), ...rest };
}

function readKeyValues({ kvs = [], count = 0, more = false, ...rest }) {
  return { ...rest, kvs: kvs.map(readKeyValue), more, count: Number(count) };
}

// A prefix is the range from the prefix to the first key after all keys that start with it: the prefix with its last
// byte raised by one, which cannot overflow because UTF-8 has no byte 0xff. A zero byte at both ends means every key.
function prefixRange(prefix) {
  if (prefix === '') return { key: toBase64('\0'), range_end: toBase64('\0') };
  const end = Buffer.from(prefix, 'utf8');
  end[end.length - 1] += 1;
  return { key: toBase64(prefix), range_end: end.toString('base64') };
}
