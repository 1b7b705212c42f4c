import { joinLibraries, type Functions } from '../language/declaration.js';
import { conversions } from './conversions.js';
import { formats } from './kubernetes/namedformats.js';
import { lists } from './lists.js';
import { network } from './kubernetes/network.js';
import { operators } from './operators.js';
import { optionals } from './optionals.js';
import { quantities } from './kubernetes/quantities.js';
import { strings } from './strings.js';
import { times } from './times.js';
import { urls } from './kubernetes/urls.js';
import { versions } from './kubernetes/semver.js';

const libraries = [
  operators,
  conversions,
  strings,
  times,
  optionals,
  lists,
  urls,
  quantities,
  network,
  formats,
  versions,
];

let base: Functions | undefined;

/** The functions that all expressions may call. Other libraries, such as the authorizer, are added to it. */
export function baseFunctions(): Functions {
  base ??= joinLibraries(...libraries.map((library) => library().functions));
  return base;
}
