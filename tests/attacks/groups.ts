import { addresses } from './addresses.ts';
import { answers } from './answers.ts';
import type { CodeGroup, DataGroup } from './attack.ts';
import { credentialsGroup } from './credentials.ts';
import { escapes } from './escapes.ts';
import { files } from './files.ts';
import { libraries } from './libraries.ts';
import { memory } from './memory.ts';
import { neighbours } from './neighbours.ts';
import { pagesGroup } from './pages.ts';
import { parsing } from './parsing.ts';
import { placesGroup } from './places.ts';
import { reach } from './reach.ts';
import { requests } from './requests.ts';
import { secrets } from './secrets.ts';
import { sharedObjects } from './shared-objects.ts';
import { sources } from './sources.ts';
import { time } from './time.ts';

/** Attacks by the code of a schema. Each runs without protection, against the scan, and against the sandbox alone. */
export const codeGroups: readonly CodeGroup[] = [neighbours, reach, escapes, libraries, parsing, time, memory];

/** Attacks by data. Each runs against naive code, and against the library. */
export const dataGroups: readonly DataGroup[] = [
  sharedObjects,
  sources,
  addresses,
  requests,
  placesGroup,
  pagesGroup,
  credentialsGroup,
  secrets,
  answers,
  files,
];
