import type { JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { quoted } from '../../status.js';
import { structAt, textAt } from '../../fields.js';
import { readNames, type DefinitionNames } from './definition.js';

export interface NameProblem {
  readonly reason: string;
  readonly message: string;
}

export interface NamingContext {
  readonly group: string;
  /** Names that the definition has already. */
  readonly own: DefinitionNames;
  /** All definitions, this one among them: what it has already in one place it cannot have in another. */
  readonly all: readonly KubeObject[];
}

export interface NamingResult {
  /** The names that the definition has from now on, as its status says them. */
  readonly names: JsonObject;
  /** Why it cannot have all that it wants, in the words of the server's naming controller; undefined when it can. */
  readonly problem: NameProblem | undefined;
}

/** Which of the names that a definition wants are free: every one of them counts alone, the last that is not is told. */
export function acceptNames(wanted: DefinitionNames, { group, own, all }: NamingContext): NamingResult {
  const taken = all
    .filter((one) => textAt(structAt(one, 'spec'), 'group') === group)
    .map((one) => readNames(structAt(structAt(one, 'status'), 'acceptedNames')));
  const resources = new Set(taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]));
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]));
  const problems: NameProblem[] = [];
  const one = (reason: string, name: string, mine: string, used: ReadonlySet<string>): string => {
    if (name === mine || !used.has(name)) return name;
    problems.push(problem(reason, name));
    return mine;
  };
  const plural = one('PluralConflict', wanted.plural, own.plural, resources);
  const singular = one('SingularConflict', wanted.singular, own.singular, resources);
  const used = wanted.shortNames.filter((name) => !own.shortNames.includes(name) && resources.has(name));
  if (used.length > 0) problems.push(problem('ShortNamesConflict', ...used));
  const kind = one('KindConflict', wanted.kind, own.kind, kinds);
  const listKind = one('ListKindConflict', wanted.listKind, own.listKind, kinds);
  const shortNames = used.length > 0 ? own.shortNames : wanted.shortNames;
  return {
    names: acceptedNames({ plural, singular, shortNames, kind, listKind, categories: wanted.categories }),
    problem: problems.at(-1),
  };
}

/** What is empty is left out, but for those that every definition has. */
function acceptedNames({ plural, singular, shortNames, kind, listKind, categories }: DefinitionNames): JsonObject {
  return {
    plural,
    ...(singular === '' ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function problem(reason: string, ...names: readonly string[]): NameProblem {
  const texts = names.map((name) => `${quoted(name)} is already in use`);
  return { reason, message: texts.length === 1 ? texts.join() : `[${texts.join(', ')}]` };
}
