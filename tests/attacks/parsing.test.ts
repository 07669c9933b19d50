import { parsing } from './parsing.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(parsing);
