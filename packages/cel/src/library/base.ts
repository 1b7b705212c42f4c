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

/** Joined at the first call: a program that evaluates no expression does not build them. */
let base: Functions | undefined;

/**
 * The functions that all expressions may call. Libraries for some expressions only, such as the authorizer, are joined
 * to these by who compiles them.
 */
export function baseFunctions(): Functions {
  base ??= joinLibraries(...libraries.map((library) => library().functions));
  return base;
}
