import { own, type JsonObject } from '../../../json.js';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidRaw,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../schema/field.js';
import { byteLength, goJson } from '../../../schema/go/text.js';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../../schema/metadata/names.js';
import type { FieldError } from '../../../status.js';
import { each, has, invalidBecause, whenSet } from '../validation/checks.js';
import { listAt, structAt, textAt } from '../../../fields.js';
import { checkPodResources, checkResources } from './container/resources.js';

/** Checks of the parts of a pod that few pods have. */

const SYSTEMS = ['linux', 'windows'];
const LONGEST_HOST = 64;

export function checkExtras(spec: JsonObject, path: string): readonly FieldError[] {
  return [
    ...whenSet(spec, 'os', path, checkSystem),
    ...gateErrors(spec, path),
    ...hostNameErrors(spec, path),
    ...userErrors(spec, path),
    ...whenSet(spec, 'resources', path, (resources, at) => [
      ...checkPodResources(resources, at),
      ...checkClaims({ resources }, spec, path),
    ]),
    ...whenSet(spec, 'overhead', path, (overhead, at) => checkResources({ limits: overhead }, at)),
  ];
}

function checkSystem(system: JsonObject, path: string): readonly FieldError[] {
  const name = textAt(system, 'name');
  if (name === '') return [required(child(path, 'name'))];
  return SYSTEMS.includes(name) ? [] : [notSupported(path, name, SYSTEMS)];
}

function gateErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(spec, 'schedulingGates', path, (gate, at) => {
    const name = textAt(gate, 'name');
    const again = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [...invalidBecause(at, name, qualifiedName(name)), ...again];
  });
}

function hostNameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const at = child(path, 'hostnameOverride');
  const name = own(spec, 'hostnameOverride');
  if (typeof name !== 'string') return [];
  const errors: FieldError[] = [];
  if (spec['setHostnameAsFQDN'] === true)
    errors.push(forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec['hostNetwork'] === true) errors.push(forbiddenField(at, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > LONGEST_HOST) errors.push(tooLong(at, LONGEST_HOST));
  return [...errors, ...invalidBecause(at, name, dns1123Subdomain(name))];
}

/** Users of its own go with nothing else of the host. */
function userErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  const shared = [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const;
  const errors: FieldError[] = shared
    .filter(([field]) => spec[field] === true)
    .map(([, shown]) => forbiddenField(child(path, shown), 'when `hostUsers` is false'));
  for (const list of ['initContainers', 'containers']) {
    errors.push(
      ...each(spec, list, path, (container, at) =>
        listAt(container, 'volumeDevices').length > 0
          ? [forbiddenField(child(at, 'volumeDevices'), 'when `hostUsers` is false')]
          : [],
      ),
    );
  }
  return errors;
}

export function claimErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return each(spec, 'resourceClaims', path, (claim, at) => {
    const name = textAt(claim, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(child(at, 'name')));
    else if (seen.has(name)) errors.push(duplicate(child(at, 'name'), name));
    else errors.push(...invalidBecause(child(at, 'name'), name, dns1123Label(name)));
    seen.add(name);
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter((field) => has(claim, field));
    if (given.length === 2)
      errors.push(
        invalidRaw(
          at,
          goClaim(claim),
          'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        ),
      );
    if (given.length === 0)
      errors.push(
        invalidRaw(at, goClaim(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
      );
    return [
      ...errors,
      ...given.flatMap((field) =>
        invalidBecause(child(at, field), textAt(claim, field), dns1123Subdomain(textAt(claim, field))),
      ),
    ];
  });
}

function goClaim(claim: JsonObject): string {
  return `{"Name":${goJson(textAt(claim, 'name'))},"ResourceClaimName":${goJson(own(claim, 'resourceClaimName'))},"ResourceClaimTemplateName":${goJson(own(claim, 'resourceClaimTemplateName'))}}`;
}

/** Which resources of the pod a container claims. */
export function checkClaims(container: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
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

const RESTARTS = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const MOST_RULES = 20;
const MOST_CODES = 255;

/** The same of an init container: without a policy its rules are not looked at. */
export function checkInitRestart(container: JsonObject, path: string): readonly FieldError[] {
  if (typeof own(container, 'restartPolicy') === 'string') return checkRestart(container, path);
  return listAt(container, 'restartPolicyRules').length > 0
    ? [required(child(path, 'restartPolicy'), 'must specify restartPolicy when restart rules are used')]
    : [];
}

/** When a container is started again, where it is not as the pod says. */
export function checkRestart(container: JsonObject, path: string): readonly FieldError[] {
  const rules = listAt(container, 'restartPolicyRules');
  const at = child(path, 'restartPolicy');
  const policy = own(container, 'restartPolicy');
  const errors: FieldError[] = [];
  if (typeof policy !== 'string') {
    if (rules.length > 0) errors.push(required(at, 'must specify restartPolicy when restart rules are used'));
  } else if (!RESTARTS.includes(policy)) {
    errors.push(notSupported(at, policy, RESTARTS));
  }
  const list = child(path, 'restartPolicyRules');
  if (rules.length > MOST_RULES)
    errors.push({
      reason: 'FieldValueTooMany',
      field: list,
      message: `Too many: ${rules.length}: must have at most ${MOST_RULES} items`,
    });
  return [...errors, ...rules.flatMap((rule, position) => checkRule(rule, index(list, position)))];
}

function checkRule(rule: JsonObject, path: string): readonly FieldError[] {
  const action = textAt(rule, 'action');
  const errors: FieldError[] = ACTIONS.includes(action) ? [] : [notSupported(child(path, 'action'), action, ACTIONS)];
  if (!has(rule, 'exitCodes')) return [...errors, required(child(path, 'exitCodes'), 'must be specified')];
  const codes = structAt(rule, 'exitCodes');
  const operator = textAt(codes, 'operator');
  if (!['In', 'NotIn'].includes(operator))
    errors.push(notSupported(child(path, 'exitCodes.operator'), operator, ['In', 'NotIn']));
  const values = own(codes, 'values');
  const count = Array.isArray(values) ? values.length : 0;
  return count > MOST_CODES
    ? [
        ...errors,
        {
          reason: 'FieldValueTooMany',
          field: child(path, 'exitCodes.values'),
          message: `Too many: ${count}: must have at most ${MOST_CODES} items`,
        },
      ]
    : errors;
}

/** What happens to a container whose resources change. Errors name the list. */
export function checkResize(container: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const list = child(path, 'resizePolicy');
  const seen = new Set<string>();
  return each(container, 'resizePolicy', path, (one, at) => {
    const [resource, policy] = [textAt(one, 'resourceName'), textAt(one, 'restartPolicy')];
    const errors: FieldError[] = seen.has(resource) ? [duplicate(at, resource)] : [];
    seen.add(resource);
    if (resource === '') errors.push(required(list));
    else if (!['cpu', 'memory'].includes(resource)) errors.push(notSupported(list, resource, ['cpu', 'memory']));
    if (policy === '') errors.push(required(list));
    else if (!['NotRequired', 'RestartContainer'].includes(policy))
      errors.push(notSupported(list, policy, ['NotRequired', 'RestartContainer']));
    if (textAt(spec, 'restartPolicy') === 'Never' && policy !== 'NotRequired')
      errors.push(invalidValue(list, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
