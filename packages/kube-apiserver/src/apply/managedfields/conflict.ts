import { StatusError } from '../../status.js';
import type { Element } from '../fieldpath/element.js';
import { pathText } from '../fieldpath/element.js';
import { has, pathsOf } from '../fieldpath/fieldset.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { compareBytes, goQuote } from '@multicluster-engine/values/text';
import type { Owner } from './owners.js';
import type { OwnerConflict } from './ownership.js';

/** A field that another manager owns and that this request changes. */
export interface Conflict {
  readonly id: string;
  readonly owner: Owner;
  readonly path: readonly Element[];
}

/** One conflict for each field, sorted by owner. */
export function conflictsOf(ownerConflicts: readonly OwnerConflict[]): Conflict[] {
  return [...ownerConflicts]
    .sort((a, b) => compareBytes(a.id, b.id))
    .flatMap(({ id, owner, fields }) => pathsOf(fields).map((path) => ({ id, owner, path })));
}

/** The conflicts about fields that are not in `allowed`. */
export function conflictsOutside(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts.filter(({ path }) => !has(allowed, path));
}

/** A 409 with one cause for each field. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  return new StatusError(409, messageOf(conflicts), { reason: 'Conflict', details: { causes } });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(first.owner)}: ${pathText(first.path)}`;
  }
  const lines: string[] = [];
  let last: string | undefined;
  for (const { id, owner, path } of conflicts) {
    if (id !== last) lines.push(`conflicts with ${ownerText(owner)}:`);
    last = id;
    lines.push(`- ${pathText(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
