import { mainWith, parameterWith, type RuleCase, toolWith } from './rule-case.ts';

const listed = { sharedLists: [{ ref: 'colours', version: '1.0.0' }] };

function unknownField(
  path: string,
  field: string,
  breaks: RuleCase['breaks'],
  keeps: RuleCase['breaks'] = {},
): RuleCase {
  const message = `unknown field "${field}" in ${path}`;
  return { code: 'VAL003', severity: 'warning', path: `${path}.${field}`, message, breaks, keeps };
}

export const fieldCases: readonly RuleCase[] = [
  unknownField('main', 'tag', { tag: [] }, { tags: [] }),
  unknownField('main.tools.getThing', 'parms', toolWith({ parms: [] })),
  unknownField(
    'main.tools.getThing.output',
    'mimetype',
    toolWith({ output: { ...outputOf(), mimetype: 'text/plain' } }),
  ),
  unknownField('main.tools.getThing.preload', 'ttls', toolWith({ preload: { enabled: true, ttl: 60, ttls: 60 } })),
  unknownField('main.tools.getThing.annotations', 'readonlyHint', toolWith({ annotations: { readonlyHint: true } })),
  unknownField('main.tools.getThing.parameters[0]', 'type', withParts({ type: 'string' })),
  unknownField(
    'main.tools.getThing.parameters[0].position',
    'in',
    toolWith({ parameters: [parameterWith({ in: 'path' })] }),
  ),
  unknownField(
    'main.tools.getThing.parameters[0].z',
    'option',
    toolWith({ parameters: [parameterWith({}, { option: [] })] }),
  ),
  unknownField(
    'main.sharedLists[0]',
    'name',
    { sharedLists: [{ ref: 'colours', version: '1.0.0', name: 'x' }] },
    listed,
  ),
];

function outputOf(): object {
  const { getThing } = mainWith().tools as { getThing: { output: object } };
  return getThing.output;
}

function withParts(parts: object): RuleCase['breaks'] {
  return toolWith({ parameters: [{ ...parameterWith(), ...parts }] });
}
