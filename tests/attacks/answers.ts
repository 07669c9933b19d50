import type { DataAttack, DataGroup } from './attack.ts';

/** What an API does that wants to harm its callers. */
export interface AnswerAttack extends DataAttack {
  answer: 'endless' | 'packed' | 'packed twice' | 'silent' | 'dripping' | 'deep' | 'circling' | 'polluting';
}

const memory = { harm: 'exhausts memory', outcome: 'TOO_LARGE' } as const;
const hangs = { harm: 'hangs the calling process', outcome: 'TIMEOUT' } as const;

export const answerAttacks: readonly AnswerAttack[] = [
  { name: 'sends an endless response', answer: 'endless', ...memory },
  { name: 'sends a decompression bomb', answer: 'packed', ...memory },
  {
    name: 'sends a response that is compressed twice',
    answer: 'packed twice',
    harm: 'exhausts memory',
    outcome: 'not decompressed',
  },
  { name: 'never responds', answer: 'silent', ...hangs },
  { name: 'sends one byte at a time', answer: 'dripping', ...hangs },
  {
    name: 'sends deeply nested lists',
    answer: 'deep',
    harm: 'ends the calling process',
    outcome: 'passed on',
  },
  { name: 'redirects in a loop', answer: 'circling', harm: 'floods', outcome: 'TOO_MANY_REDIRECTS' },
  {
    name: 'sends keys that change all objects',
    answer: 'polluting',
    harm: 'changes the calling process',
    outcome: 'passed on',
  },
];

export const answers: DataGroup = { title: 'Answers of an API', attacks: answerAttacks };
