import { reach } from './reach.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(reach);
