import { testCodeGroup } from './support/test-code-group.ts';
import { time } from './time.ts';

testCodeGroup(time);
