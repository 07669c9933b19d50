import { expect, it } from 'vitest';
import { subjectOwner } from './task-calls.ts';

const caller = (extra: Record<string, unknown> | undefined, { clientId = 'pilot', token = 'one' } = {}) =>
  subjectOwner({ token, clientId, scopes: [], ...(extra && { extra }) });

it('is the subject, with each of its tokens', () => {
  expect(caller({ sub: 'amy', jti: 1 })).toBe(caller({ sub: 'amy', jti: 2 }, { token: 'two' }));
  expect(caller({ sub: 'amy' })).not.toBe(caller({ sub: 'bob' }));
});

it('is all that is known about a caller without a subject, but the token', () => {
  expect(caller({ userId: 'amy' })).not.toBe(caller({ userId: 'bob' }));
  expect(caller({ userId: 'amy', team: { a: 1, b: 2 } })).toBe(
    caller({ team: { b: 2, a: 1 }, userId: 'amy' }, { token: 'two' }),
  );
  expect(caller(undefined)).toBe(caller({}, { token: 'two' }));
  expect(caller(undefined)).not.toBe(caller(undefined, { clientId: 'other' }));
});

it('is the token if nothing else is known', () => {
  expect(caller(undefined, { clientId: '' })).not.toBe(caller(undefined, { clientId: '', token: 'two' }));
});
