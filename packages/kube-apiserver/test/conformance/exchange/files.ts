import path from 'node:path';

import { root } from '../../../testing/root.js';

const FOLDER = path.join(root, 'test', 'conformance', 'exchange');

/** The recorded requests, by topic. */
export const FILES = [
  { name: 'statuscodes', title: 'the status of writes' },
  { name: 'parameters', title: 'parameters and options of requests' },
  { name: 'builtinkinds', title: 'built-in kinds' },
  { name: 'pods', title: 'Pods, which nothing runs' },
  { name: 'policies', title: 'ValidatingAdmissionPolicies' },
  { name: 'versions', title: 'deprecated versions' },
  { name: 'scales', title: 'the scale subresource, and tokens of ServiceAccounts' },
  { name: 'authorization', title: 'authorization' },
  { name: 'status', title: 'status and generation' },
  { name: 'patches', title: 'patches' },
  { name: 'ownership', title: 'server-side apply' },
  { name: 'validation', title: 'schemas and CustomResourceDefinitions' },
  { name: 'cel', title: 'CEL' },
  { name: 'tables', title: 'Tables and partial objects' },
  { name: 'lists', title: 'lists' },
  { name: 'watches', title: 'watches' },
  { name: 'deletion', title: 'deletion' },
  { name: 'edgecases', title: 'edge cases that the differential test found' },
  { name: 'writeedgecases', title: 'edge cases of writes that the differential test found' },
  { name: 'representations', title: 'representations of responses' },
  { name: 'unusualrequests', title: 'unusual requests' },
].map((one) => ({ ...one, file: path.join(FOLDER, `${one.name}.http`) }));
