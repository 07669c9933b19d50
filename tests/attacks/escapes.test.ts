import { escapes } from './escapes.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(escapes);
