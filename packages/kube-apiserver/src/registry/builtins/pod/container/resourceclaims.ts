import { own, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { child, duplicate, invalidRaw, required } from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import { dns1123Label, dns1123Subdomain } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause } from '../../validation/checks.js';

export function checkResourceClaims(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(spec, 'resourceClaims', path, (claim, at) => {
    const name = textAt(claim, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(child(at, 'name')));
    else if (seen.has(name)) errors.push(duplicate(child(at, 'name'), name));
    else errors.push(...invalidBecause(child(at, 'name'), name, dns1123Label(name)));
    seen.add(name);
    const references = ['resourceClaimName', 'resourceClaimTemplateName'].filter((field) => has(claim, field));
    if (references.length === 2)
      errors.push(
        invalidRaw(
          at,
          goClaim(claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    if (references.length === 0)
      errors.push(
        invalidRaw(at, goClaim(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
      );
    return [
      ...errors,
      ...references.flatMap((field) =>
        invalidBecause(child(at, field), textAt(claim, field), dns1123Subdomain(textAt(claim, field))),
      ),
    ];
  });
}

function goClaim(claim: JsonObject): string {
  return `{"Name":${goJson(textAt(claim, 'name'))},"ResourceClaimName":${goJson(own(claim, 'resourceClaimName'))},"ResourceClaimTemplateName":${goJson(own(claim, 'resourceClaimTemplateName'))}}`;
}

/** Validates the claims of a container, which refer to resourceClaims of the Pod. */
export function checkContainerClaims(container: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const resources = structAt(container, 'resources');
  if (listAt(resources, 'claims').length === 0) return [];
  const known = new Set(
    listAt(spec, 'resourceClaims')
      .map((claim) => textAt(claim, 'name'))
      .filter((name) => name !== ''),
  );
  const names = [...known].toSorted().join(', ');
  const seen = new Set<string>();
  const inPart = new Set<string>();
  return each(resources, 'claims', child(path, 'resources'), (claim, at) => {
    const [name, request] = [textAt(claim, 'name'), textAt(claim, 'request')];
    if (name === '') return [required(at)];
    const entry = request === '' ? name : `${name}/${request}`;
    const errors: FieldError[] = [];
    if (!seen.has(name) && request !== '')
      errors.push(...invalidBecause(child(at, 'request'), request, dns1123Label(request)));
    if (seen.has(name) || (request === '' && inPart.has(name))) errors.push(duplicate(at, name));
    else if (seen.has(entry)) errors.push(duplicate(at, entry));
    seen.add(entry);
    if (request !== '') inPart.add(name);
    if (known.has(name)) return errors;
    const message = `Not found: ${goJson(name)}: must be one of the names in pod.spec.resourceClaims${names === '' ? ' which is empty' : `: ${names}`}`;
    return [...errors, { reason: 'FieldValueNotFound', field: at, message }];
  });
}
