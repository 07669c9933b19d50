import { neighbours } from './neighbours.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(neighbours);
