import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterSchemas } from './filter-schemas.ts';

const tool = { method: 'GET', path: '/', description: 'A tool', parameters: [] };

const tides = { namespace: 'tides', tags: ['sea', 'cacheTtlDaily'], tools: { getTides: tool, listHarbours: tool } };
const ferries = { namespace: 'ferries', tags: ['sea', 'transport'], routes: { listFerries: tool } };
const trains = { namespace: 'trains', tags: ['transport'], tools: { listTrains: tool, getDelay: tool } };
const moreTrains = { namespace: 'trains', tags: ['night'], tools: { listSleepers: tool } };
const archive = { namespace: 'archive', tags: ['books'], tools: {}, resources: { catalogue: {} } };
const untagged = { namespace: 'untagged', tools: { ping: tool } };
const all = [tides, ferries, trains, moreTrains, archive, untagged];

/** The remaining schemas, as `namespace: tools`. */
function left(filter: Omit<Parameters<typeof filterSchemas>[0], 'arrayOfSchemas'>): string[] {
  const { filteredArrayOfSchemas, messages } = filterSchemas({ arrayOfSchemas: all, ...filter });
  expect(messages).toEqual([]);
  return (filteredArrayOfSchemas as typeof all).map(({ namespace, ...main }) => {
    const tools = 'tools' in main ? main.tools : 'routes' in main ? main.routes : {};
    return [`${namespace}:`, ...Object.keys(tools ?? {})].join(' ');
  });
}

function messagesOf(filter: Record<string, unknown>): string[] {
  const { status, messages, filteredArrayOfSchemas } = filterSchemas({ arrayOfSchemas: all, ...filter });
  expect(status).toBe(false);
  expect(filteredArrayOfSchemas).toEqual([]);
  return messages;
}

describe('filterSchemas', () => {
  it('keeps everything unchanged without a filter', () => {
    expect(filterSchemas({ arrayOfSchemas: all })).toEqual({
      status: true,
      messages: [],
      findings: [],
      filteredArrayOfSchemas: all,
    });
    expect(filterSchemas({ arrayOfSchemas: all }).filteredArrayOfSchemas[0]).toBe(tides);
  });

  it.each([
    ['included namespaces', { includeNamespaces: ['Tides', 'archive'] }, ['tides: getTides listHarbours', 'archive:']],
    [
      'included namespaces, even if they are excluded',
      { includeNamespaces: ['untagged'], excludeNamespaces: ['untagged'] },
      ['untagged: ping'],
    ],
    [
      'all but excluded namespaces',
      { excludeNamespaces: ['TRAINS', 'tides', 'archive'] },
      ['ferries: listFerries', 'untagged: ping'],
    ],
    [
      'schemas with one of the tags',
      { activateTags: ['SEA', 'books'] },
      ['tides: getTides listHarbours', 'ferries: listFerries', 'archive:'],
    ],
    ['one tool', { activateTags: ['tides.gettides'] }, ['tides: getTides']],
    ['all tools but one', { activateTags: ['tides.!getTides'] }, ['tides: listHarbours']],
    [
      'excluded tools are removed, even if they are included',
      { activateTags: ['trains.getDelay', 'trains.listTrains', 'trains.!getDelay'] },
      ['trains: listTrains'],
    ],
    [
      'only included tools, if tools are also excluded',
      { activateTags: ['trains.!getDelay', 'trains.listSleepers'] },
      ['trains: listSleepers'],
    ],
    [
      'schemas with a tag, and named tools',
      { activateTags: ['transport', 'tides.getTides'] },
      ['tides: getTides', 'ferries: listFerries', 'trains: listTrains getDelay'],
    ],
    [
      'only the named tools of a namespace that also has the tag',
      { activateTags: ['transport', 'trains.getDelay'] },
      ['ferries: listFerries', 'trains: getDelay'],
    ],
    [
      'tools of namespaces that pass',
      { excludeNamespaces: ['ferries'], activateTags: ['sea'] },
      ['tides: getTides listHarbours'],
    ],
  ])('keeps %s', (_, filter, expected) => expect(left(filter)).toEqual(expected));

  it('drops a schema that has no tool left, and keeps others of the same namespace', () => {
    expect(left({ activateTags: ['trains.listSleepers'] })).toEqual(['trains: listSleepers']);
  });

  it('leaves out resources if tools of their namespace are included by name, not if tools are excluded', () => {
    const search = { namespace: 'archive', tools: { find: tool, browse: tool } };
    const namesOf = (activateTags: string[]) =>
      filterSchemas<object>({ arrayOfSchemas: [archive, search], activateTags }).filteredArrayOfSchemas;
    expect(namesOf(['archive.find'])).toEqual([{ ...search, tools: { find: tool } }]);
    expect(namesOf(['archive.!find'])).toEqual([archive, { ...search, tools: { browse: tool } }]);
  });

  it('drops an empty schema', () => {
    const { filteredArrayOfSchemas, messages } = filterSchemas({ arrayOfSchemas: [{ namespace: 'empty', tools: {} }] });
    expect(filteredArrayOfSchemas).toEqual([]);
    expect(messages).toEqual(['no schema matches the filter']);
  });

  it.each([
    [{ arrayOfSchemas: undefined }, ['Missing or invalid arrayOfSchemas']],
    [{ arrayOfSchemas: [] }, ['Missing or invalid arrayOfSchemas']],
    [{ arrayOfSchemas: [tides, 'ferries'] }, ['arrayOfSchemas must be an array of objects']],
    [{ arrayOfSchemas: new Array(2) }, ['arrayOfSchemas must be an array of objects']],
    [
      { includeNamespaces: 'tides', excludeNamespaces: null },
      ['includeNamespaces: Must be an array', 'excludeNamespaces: Must be an array'],
    ],
    [
      { activateTags: ['sea', ' ', 4] },
      ['activateTags[1]: Must be a non-empty string', 'activateTags[2]: Must be a non-empty string'],
    ],
    [
      { activateTags: ['tides.', '.getTides', 'tides.!', 'a.b.c'] },
      ['tides.', '.getTides', 'tides.!', 'a.b.c'].map((tag) => `Invalid activateTags syntax: '${tag}'`),
    ],
    [{ activateTags: ['see'] }, ["Tag 'see' not found in any schema"]],
    [{ activateTags: ['tide.getTides'] }, ["Namespace 'tide' not found in schemas"]],
    [{ activateTags: ['Tides.!getTide'] }, ["Route 'gettide' not found in namespace 'Tides'"]],
    [{ activateTags: ['see', 'see', 'sea'] }, ["Tag 'see' not found in any schema"]],
  ])('refuses %j', (filter, messages) => expect(messagesOf(filter)).toEqual(messages));

  it('looks for tags in all schemas, even in those excluded by namespace', () => {
    const { status, filteredArrayOfSchemas } = filterSchemas({
      arrayOfSchemas: all,
      includeNamespaces: ['untagged'],
      activateTags: ['sea'],
    });
    expect({ status, filteredArrayOfSchemas }).toEqual({ status: true, filteredArrayOfSchemas: [] });
  });

  it('suggests the probable name', () => {
    const { findings } = filterSchemas({ arrayOfSchemas: all, activateTags: ['transprot', 'tides', 'tides.getTide'] });
    expect(findings.map(({ hint }) => hint)).toEqual([
      'Did you mean transport?',
      'It is a namespace: pass includeNamespaces: ["tides"].',
      'Did you mean gettides?',
    ]);
  });

  it('warns of a namespace that no schema has', () => {
    const { status, findings } = filterSchemas({ arrayOfSchemas: all, excludeNamespaces: ['ferrys'] });
    expect(status).toBe(true);
    expect(findings).toEqual([
      {
        code: 'FLT009',
        severity: 'warning',
        path: 'excludeNamespaces[0]',
        message: "Namespace 'ferrys' not found in schemas",
        hint: 'Did you mean ferries?',
      },
    ]);
  });

  it('returns loaded schemas as loaded schemas, without the handlers of removed tools', () => {
    const handlerMap = { getTides: { preRequest: null }, listHarbours: {}, catalogue: {} };
    const loaded = { status: true, messages: [], findings: [], main: tides, handlerMap, file: '/tides.mjs' };
    const { filteredArrayOfSchemas } = filterSchemas({
      arrayOfSchemas: [loaded],
      activateTags: ['tides.!getTides'],
    });
    expect(filteredArrayOfSchemas).toEqual([
      { ...loaded, main: { ...tides, tools: { listHarbours: tool } }, handlerMap: { listHarbours: {}, catalogue: {} } },
    ]);
  });

  it('skips a schema that did not load, with a warning', () => {
    const failed = { status: false, messages: ['broken'], findings: [], main: null, handlerMap: {} };
    const { status, messages, filteredArrayOfSchemas } = filterSchemas({ arrayOfSchemas: [failed, tides] });
    expect({ status, messages, filteredArrayOfSchemas }).toEqual({
      status: true,
      messages: ['arrayOfSchemas[0] failed to load and is skipped'],
      filteredArrayOfSchemas: [tides],
    });
  });

  it('reports each copied main, and no other', () => {
    const made: unknown[] = [];
    const { filteredArrayOfSchemas } = filterSchemas({
      arrayOfSchemas: all,
      activateTags: ['tides.getTides', 'ferries.listFerries'],
      onReduced: (reduced, original) => made.push([reduced, original]),
    });
    expect(made).toEqual([[{ ...tides, tools: { getTides: tool } }, tides]]);
    expect(filteredArrayOfSchemas[1]).toBe(ferries);
  });

  const word = fc.constantFrom('a', 'B', 'sea', '__proto__', 'constructor', 'x.y', '');
  const schema = fc.oneof(
    fc.record(
      {
        namespace: word,
        tags: fc.array(word),
        tools: fc.dictionary(word, fc.constant(tool)),
        routes: fc.dictionary(word, fc.constant(tool)),
      },
      { requiredKeys: [] },
    ),
    fc.object(),
  );
  const filters = fc.array(
    fc.oneof(
      word,
      fc.tuple(word, word).map((pair) => pair.join('.')),
      fc.string(),
    ),
  );

  it('does not change its arguments', () => {
    fc.assert(
      fc.property(fc.array(schema), filters, filters, filters, (arrayOfSchemas, includes, excludes, activateTags) => {
        const before = structuredClone(arrayOfSchemas);
        filterSchemas({ arrayOfSchemas, includeNamespaces: includes, excludeNamespaces: excludes, activateTags });
        expect(arrayOfSchemas).toEqual(before);
      }),
    );
  });

  it('never throws for any argument', () => {
    const anything = fc.anything({ withNullPrototype: true, withMap: true, withSparseArray: true });
    fc.assert(
      fc.property(anything, fc.array(anything), anything, anything, (options, arrayOfSchemas, includes, tags) => {
        const nothing = filterSchemas(options as never);
        expect(nothing.status || nothing.filteredArrayOfSchemas.length === 0).toBe(true);
        const filter = { arrayOfSchemas, includeNamespaces: includes, activateTags: tags };
        const { status, filteredArrayOfSchemas } = filterSchemas(filter as never);
        expect(status || filteredArrayOfSchemas.length === 0).toBe(true);
      }),
    );
  });
});
