import { quoted } from '../status.js';
import type { KubeObject } from '../object.js';
import { objectAt, readNames, textAt } from './definition.js';
import type { DefinitionNames } from './definition.js';

export interface NameProblem {
  readonly reason: string;
  readonly message: string;
}

interface Claims {
  /** Names that the definition has already. */
  readonly own: DefinitionNames;
  /** All other definitions. */
  readonly others: readonly KubeObject[];
}

/** Why a definition cannot have the names that it wants, in the words of the server's naming controller; undefined when it can. */
export function nameProblems(group: string, wanted: DefinitionNames, { own, others }: Claims): NameProblem | undefined {
  const taken = others.filter((one) => textAt(objectAt(one, 'spec'), 'group') === group).map((one) => readNames(objectAt(objectAt(one, 'status'), 'acceptedNames')));
  const resources = new Set(taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]));
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]));
  const inUse = (name: string, mine: string, used: ReadonlySet<string>): boolean => name !== mine && used.has(name);
  const short = wanted.shortNames.filter((name) => !own.shortNames.includes(name) && resources.has(name));
  const found: NameProblem[] = [];
  if (inUse(wanted.plural, own.plural, resources)) found.push(problem('PluralConflict', wanted.plural));
  if (inUse(wanted.singular, own.singular, resources)) found.push(problem('SingularConflict', wanted.singular));
  if (short.length > 0) found.push(problem('ShortNamesConflict', ...short));
  if (inUse(wanted.kind, own.kind, kinds)) found.push(problem('KindConflict', wanted.kind));
  if (inUse(wanted.listKind, own.listKind, kinds)) found.push(problem('ListKindConflict', wanted.listKind));
  return found.at(-1);
}

function problem(reason: string, ...names: readonly string[]): NameProblem {
  const texts = names.map((name) => `${quoted(name)} is already in use`);
  return { reason, message: texts.length === 1 ? texts.join() : `[${texts.join(', ')}]` };
}
