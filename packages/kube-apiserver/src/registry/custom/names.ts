import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { quoted } from '../../status.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { readNames, type DefinitionNames } from '@multicluster-engine/values/schema/custom/definition';

export interface NameProblem {
  readonly reason: string;
  readonly message: string;
}

export interface NamingContext {
  readonly group: string;
  /** The names that are accepted for the definition already. */
  readonly own: DefinitionNames;
  /** All definitions, this one included: a name it holds in one field conflicts with the same name in another field. */
  readonly all: readonly KubeObject[];
}

export interface NamingResult {
  /** The new `status.acceptedNames`. */
  readonly names: JsonObject;
  /** Reason and message of NamesAccepted=False, worded as kube-apiserver's naming controller; undefined without a conflict. */
  readonly problem: NameProblem | undefined;
}

/** Accepts each name that no other definition of the group uses. Of several conflicts the last is reported. */
export function acceptNames(wanted: DefinitionNames, { group, own, all }: NamingContext): NamingResult {
  const acceptedInGroup = all
    .filter((one) => textAt(structAt(one, 'spec'), 'group') === group)
    .map((one) => readNames(structAt(structAt(one, 'status'), 'acceptedNames')));
  const resources = new Set(
    acceptedInGroup.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(acceptedInGroup.flatMap(({ kind, listKind }) => [kind, listKind]));
  const problems: NameProblem[] = [];
  const accept = (reason: string, name: string, current: string, used: ReadonlySet<string>): string => {
    if (name === current || !used.has(name)) return name;
    problems.push(problem(reason, name));
    return current;
  };
  const plural = accept('PluralConflict', wanted.plural, own.plural, resources);
  const singular = accept('SingularConflict', wanted.singular, own.singular, resources);
  const used = wanted.shortNames.filter((name) => !own.shortNames.includes(name) && resources.has(name));
  if (used.length > 0) problems.push(problem('ShortNamesConflict', ...used));
  const kind = accept('KindConflict', wanted.kind, own.kind, kinds);
  const listKind = accept('ListKindConflict', wanted.listKind, own.listKind, kinds);
  const shortNames = used.length > 0 ? own.shortNames : wanted.shortNames;
  return {
    names: acceptedNames({ plural, singular, shortNames, kind, listKind, categories: wanted.categories }),
    problem: problems.at(-1),
  };
}

/** Empty names are omitted, but plural and kind, which every definition has. */
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
