import { memory } from './memory.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(memory);
