import type { DataAttack, DataGroup } from './attack.ts';

/** Where a value of a caller goes. Beside it there is a fixed parameter `kept` with the value `mine`. */
export type Place =
  | 'header'
  | 'simple header'
  | 'cookie'
  | 'cookies'
  | 'form query'
  | 'comma query'
  | 'deepObject query'
  | 'spaceDelimited query'
  | 'pipeDelimited query'
  | 'form body'
  | 'text part'
  | 'file part'
  | 'text body'
  | 'file body';

/** A value that leaves its place in a request that is put together as text. */
export interface PlaceAttack extends DataAttack {
  place: Place;
  value: unknown;
}

/** What a caller gives for an input `file()`. `%PRIVATE%` is the path of a file outside of the project. */
export interface FileValueAttack extends DataAttack {
  value: string;
}

/** A file that the command line is told to send. `link` leads to the private file. */
export interface FileWordAttack extends DataAttack {
  word: string;
}

const adds = { harm: 'injects into the request' } as const;
const noEffect = 'no effect';
const second = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
const file = (name: string) => `data:image/png;name=${encodeURIComponent(name)};base64,aGVsbG8=`;
const part = '\r\n--boundary\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1';

export const places: readonly PlaceAttack[] = [
  { name: 'starts a header in a header', place: 'header', value: 'x\r\nX-Admin: 1', ...adds, outcome: 'INP011' },
  {
    name: 'hides line breaks in letters beyond ISO 8859-1',
    place: 'header',
    value: 'x\u560d\u560aX-Admin: 1',
    ...adds,
    outcome: 'INP011',
  },
  {
    name: 'ends the headers and starts a request',
    place: 'header',
    value: `x\r\n\r\n${second}`,
    ...adds,
    outcome: 'INP011',
  },
  {
    name: 'ends an item of a list in a header',
    place: 'simple header',
    value: ['x', 'y,admin=1'],
    ...adds,
    outcome: 'INP011',
  },
  {
    name: 'starts a header in an item of a list',
    place: 'simple header',
    value: ['x', 'y\r\nX-Admin: 1'],
    ...adds,
    outcome: 'INP011',
  },
  { name: 'adds a cookie after a semicolon', place: 'cookie', value: 'x; admin=1', ...adds, outcome: noEffect },
  {
    name: 'adds a cookie after a comma, as in RFC 2109',
    place: 'cookie',
    value: 'x, admin=1',
    ...adds,
    outcome: noEffect,
  },
  { name: 'closes the quotes of a cookie', place: 'cookie', value: '"x"; admin="1"', ...adds, outcome: noEffect },
  { name: 'starts a header in a cookie', place: 'cookie', value: 'x\r\nX-Admin: 1', ...adds, outcome: noEffect },
  {
    name: 'adds a cookie in a value of an object',
    place: 'cookies',
    value: { a: 'x; admin=1' },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'adds a cookie in a name of an object',
    place: 'cookies',
    value: { 'a=1; admin': '1' },
    ...adds,
    outcome: 'INP011',
  },
  { name: 'names a member as another cookie', place: 'cookies', value: { kept: 'theirs' }, ...adds, outcome: 'INP011' },
  {
    name: 'adds a pair in a value of an object',
    place: 'form query',
    value: { a: '1&admin=1' },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'adds a pair in a name of an object',
    place: 'form query',
    value: { 'a=1&admin': '1' },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'ends the query in a value of an object',
    place: 'form query',
    value: { a: '1#' },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'names a member as another parameter',
    place: 'form query',
    value: { kept: 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'names a member as another parameter that is a list',
    place: 'form query',
    value: { 'kept[]': 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'names a member as another parameter in brackets',
    place: 'form query',
    value: { '[kept]': 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  { name: 'adds an item after a comma', place: 'comma query', value: ['a,admin'], ...adds, outcome: noEffect },
  { name: 'adds an item after a space', place: 'spaceDelimited query', value: ['a admin'], ...adds, outcome: 'INP012' },
  { name: 'adds an item after a bar', place: 'pipeDelimited query', value: ['a|admin'], ...adds, outcome: 'INP012' },
  {
    name: 'adds an item after an encoded bar',
    place: 'pipeDelimited query',
    value: ['a%7Cadmin'],
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'adds a pair in a value of a nested object',
    place: 'deepObject query',
    value: { a: { b: '1&admin=1' } },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'adds a pair in a name of a nested object',
    place: 'deepObject query',
    value: { 'a]=1&admin=1&x[': '1' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'names a member as another parameter of the same object',
    place: 'deepObject query',
    value: { owner: 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'names a member as a list inside another parameter of the same object',
    place: 'deepObject query',
    value: { owner: ['theirs'] },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'adds a field in a value of a form',
    place: 'form body',
    value: { a: '1&admin=1' },
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'names a member as another field',
    place: 'form body',
    value: { kept: 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'names a member as another field that is a list',
    place: 'form body',
    value: { 'kept[0]': 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  { name: 'starts a part after the boundary', place: 'text part', value: `x${part}`, ...adds, outcome: noEffect },
  {
    name: 'ends the body after the boundary',
    place: 'text part',
    value: 'x\r\n--boundary--\r\n',
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'closes the quotes of a file name',
    place: 'file part',
    value: file('x"; filename="../admin'),
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'starts a part in a file name',
    place: 'file part',
    value: file(`x"\r\n\r\n${part}`),
    ...adds,
    outcome: noEffect,
  },
  { name: 'climbs up in a file name', place: 'file part', value: file('../../admin'), ...adds, outcome: noEffect },
  {
    name: 'climbs up with backslashes in a file name',
    place: 'file part',
    value: file('..\\..\\admin'),
    ...adds,
    outcome: noEffect,
  },
  { name: 'names a file as the folder above', place: 'file part', value: file('..'), ...adds, outcome: noEffect },
  {
    name: 'starts a part in the type of a file',
    place: 'file part',
    value: `data:image/png\r\n\r\nhello${part};base64,aGVsbG8=`,
    ...adds,
    outcome: 'INP002',
  },
  {
    name: 'ends a text early with letters of two bytes',
    place: 'text body',
    value: `${'é'.repeat(second.length)}${second}`,
    ...adds,
    outcome: noEffect,
  },
  {
    name: 'starts a header in the type of a file',
    place: 'file body',
    value: 'data:image/png\r\nX-Admin: 1;base64,aGVsbG8=',
    ...adds,
    outcome: 'INP002',
  },
];

const reads = { harm: 'reads a file' } as const;

export const fileValues: readonly FileValueAttack[] = [
  { name: 'gives a path', value: '%PRIVATE%', ...reads, outcome: 'INP002' },
  { name: 'gives a path after an @', value: '@%PRIVATE%', ...reads, outcome: 'INP002' },
  { name: 'gives a file: URL', value: 'file://%PRIVATE%', ...reads, outcome: 'INP002' },
];

export const fileWords: readonly FileWordAttack[] = [
  { name: 'names a file outside of the project', word: '@%PRIVATE%', ...reads, outcome: 'refused' },
  { name: 'climbs out of the project', word: '@../private.txt', ...reads, outcome: 'refused' },
  { name: 'names a link that leads out of the project', word: '@link.txt', ...reads, outcome: 'refused' },
  { name: 'names a device that never ends', word: '@/dev/zero', harm: 'exhausts memory', outcome: 'refused' },
];

export const placesGroup: DataGroup = {
  title: 'Places of a request',
  attacks: [
    ...places,
    ...fileValues.map((attack) => ({ ...attack, name: `For a file, ${attack.name}` })),
    ...fileWords.map((attack) => ({ ...attack, name: `On the command line, ${attack.name}` })),
  ],
};
