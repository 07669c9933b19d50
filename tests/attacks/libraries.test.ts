import { libraries } from './libraries.ts';
import { testCodeGroup } from './support/test-code-group.ts';

testCodeGroup(libraries);
