import type { DataAttack, DataGroup } from './attack.ts';

/** What an API does that wants to harm its callers. */
export interface AnswerAttack extends DataAttack {
  answer: 'endless' | 'packed' | 'packed twice' | 'silent' | 'dripping' | 'deep' | 'circling' | 'polluting';
}

const memory = { harm: 'takes all memory', outcome: 'TOO_LARGE' } as const;
const hangs = { harm: 'hangs the calling process', outcome: 'TIMEOUT' } as const;

export const answerAttacks: readonly AnswerAttack[] = [
  { name: 'answers without an end', answer: 'endless', ...memory },
  { name: 'answers with what is much smaller packed', answer: 'packed', ...memory },
  {
    name: 'answers with what was packed twice',
    answer: 'packed twice',
    harm: 'takes all memory',
    outcome: 'is not unpacked',
  },
  { name: 'never answers', answer: 'silent', ...hangs },
  { name: 'answers with one byte at a time', answer: 'dripping', ...hangs },
  {
    name: 'answers with lists in lists in lists',
    answer: 'deep',
    harm: 'ends the calling process',
    outcome: 'is passed on',
  },
  { name: 'redirects in a circle', answer: 'circling', harm: 'floods', outcome: 'TOO_MANY_REDIRECTS' },
  {
    name: 'answers with keys that change all objects',
    answer: 'polluting',
    harm: 'changes the calling process',
    outcome: 'is passed on',
  },
];

export const answers: DataGroup = { title: 'Answers of an API', attacks: answerAttacks };
