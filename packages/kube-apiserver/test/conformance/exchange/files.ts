import path from 'node:path';

import { root } from '../../../testing/root.js';

const FOLDER = path.join(root, 'test', 'conformance', 'exchange');

/** What is asked of every server, group by group. */
export const FILES = [
  { name: 'codes', title: 'writes, and what is no write' },
  { name: 'options', title: 'options and parameters of requests' },
  { name: 'kinds', title: 'built-in kinds' },
  { name: 'pods', title: 'Pods, which are only read' },
  { name: 'policies', title: 'ValidatingAdmissionPolicies' },
  { name: 'versions', title: 'versions that are deprecated' },
  { name: 'scales', title: 'scales, and tokens of ServiceAccounts' },
  { name: 'rights', title: 'who may do what' },
  { name: 'status', title: 'status and generation' },
  { name: 'patches', title: 'patches' },
  { name: 'ownership', title: 'server-side apply' },
  { name: 'validation', title: 'schemas and definitions' },
  { name: 'cel', title: 'CEL' },
  { name: 'tables', title: 'tables and partial objects' },
  { name: 'lists', title: 'lists' },
  { name: 'watches', title: 'watches' },
  { name: 'deletion', title: 'deletion' },
  { name: 'corners', title: 'corners that random requests found' },
  { name: 'writes', title: 'writes that random sequences of strangers found' },
  { name: 'readers', title: 'what is read, and in which form' },
  { name: 'strangers', title: 'what nobody here would have asked' },
].map((one) => ({ ...one, file: path.join(FOLDER, `${one.name}.http`) }));
