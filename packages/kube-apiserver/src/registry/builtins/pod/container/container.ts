import { own, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Label } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause, portNameProblems, portNumber, whenSet } from '../../validation/checks.js';
import { listAt, numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { checkDevices, type ContainerContext } from './devices.js';
import { checkEnvironment } from './environment.js';
import { checkContainerClaims } from './resourceclaims.js';
import { checkInitRestart, checkResize, checkRestart } from './restart.js';
import { relativePath } from '../../validation/paths.js';
import { checkLifecycle, checkProbe, PROBES } from './probe.js';
import { checkResources } from './resources.js';
import { checkContainerSecurity } from '../security/context.js';

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const READ_ONLY_MODES = ['Disabled', 'Enabled', 'IfPossible'];
const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';

/** @param volumes names of the volumes that can be mounted */
export function checkContainers(spec: JsonObject, volumes: ReadonlySet<string>, path: string): readonly FieldError[] {
  const at = child(path, 'containers');
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) return [required(at)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, position) => {
    const place = index(at, position);
    const name = textAt(container, 'name');
    const repeated = names.has(name) ? [duplicate(child(place, 'name'), name)] : [];
    names.add(name);
    return [
      ...checkContainer(container, { spec, volumes }, place),
      ...repeated,
      ...hookErrors(container, spec, place),
      ...checkRestart(container, place),
    ];
  });
  return [...errors, ...hostPortConflicts(containers, at)];
}

export function checkInitContainers(
  spec: JsonObject,
  volumes: ReadonlySet<string>,
  path: string,
): readonly FieldError[] {
  const names = new Set(listAt(spec, 'containers').map((container) => textAt(container, 'name')));
  return each(spec, 'initContainers', path, (container, at) => {
    const name = textAt(container, 'name');
    const repeated = names.has(name) ? [duplicate(child(at, 'name'), name)] : [];
    if (name !== '') names.add(name);
    const sidecar = container['restartPolicy'] === 'Always';
    const hooks = sidecar ? hookErrors(container, spec, at) : forbiddenHooks(container, at);
    return [
      ...checkContainer(container, { spec, volumes }, at),
      ...repeated,
      ...hooks,
      ...checkInitRestart(container, at),
    ];
  });
}

/** Validates lifecycle hooks and probes. */
function hookErrors(container: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const grace = own(spec, 'terminationGracePeriodSeconds');
  return [
    ...whenSet(container, 'lifecycle', path, (lifecycle, at) => checkLifecycle(lifecycle, grace, at)),
    ...PROBES.flatMap((name) => whenSet(container, name, path, (probe, at) => checkProbe(probe, { name, grace }, at))),
  ];
}

function forbiddenHooks(container: JsonObject, path: string): readonly FieldError[] {
  return ['lifecycle', ...PROBES]
    .filter((name) => has(container, name))
    .map((name) => forbiddenField(child(path, name), ONLY_SIDECARS));
}

/** Validates the fields that containers of all three lists have in common. */
export function checkContainer(
  container: JsonObject,
  { spec, volumes }: ContainerContext,
  path: string,
): readonly FieldError[] {
  const name = textAt(container, 'name');
  const errors: FieldError[] =
    name === '' ? [required(child(path, 'name'))] : [...invalidBecause(child(path, 'name'), name, dns1123Label(name))];
  if (textAt(container, 'image') === '') errors.push(required(child(path, 'image')));
  const policy = textAt(container, 'terminationMessagePolicy');
  if (!MESSAGE_POLICIES.includes(policy))
    errors.push(notSupported(child(path, 'terminationMessagePolicy'), policy, MESSAGE_POLICIES));
  errors.push(
    ...portErrors(container, path),
    ...checkEnvironment(container, path),
    ...mountErrors(container, volumes, path),
    ...checkDevices(container, { spec, volumes }, path),
  );
  const pull = textAt(container, 'imagePullPolicy');
  if (!PULL_POLICIES.includes(pull)) errors.push(notSupported(child(path, 'imagePullPolicy'), pull, PULL_POLICIES));
  errors.push(
    ...checkResources(structAt(container, 'resources'), child(path, 'resources')),
    ...checkContainerClaims(container, spec, path),
    ...checkResize(container, spec, path),
  );
  errors.push(
    ...whenSet(container, 'securityContext', path, (context, at) => checkContainerSecurity(context, spec, at)),
  );
  return errors;
}

function portErrors(container: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return each(container, 'ports', path, (port, at) => {
    const errors: FieldError[] = [];
    const name = textAt(port, 'name');
    const problems = name === '' ? [] : portNameProblems(name);
    errors.push(...invalidBecause(child(at, 'name'), name, problems));
    if (name !== '' && problems.length === 0 && names.has(name)) errors.push(duplicate(child(at, 'name'), name));
    names.add(name);
    const number = numberAt(port, 'containerPort');
    errors.push(
      ...(number === 0 ? [required(child(at, 'containerPort'))] : portNumber(number, child(at, 'containerPort'))),
    );
    if (numberAt(port, 'hostPort') !== 0) errors.push(...portNumber(port['hostPort'], child(at, 'hostPort')));
    const protocol = textAt(port, 'protocol');
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(child(at, 'protocol'), protocol, PROTOCOLS));
    return errors;
  });
}

function hostPortConflicts(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const hostPorts = new Set<string>();
  return containers.flatMap((container, position) =>
    each(container, 'ports', index(path, position), (port, at) => {
      if (numberAt(port, 'hostPort') === 0) return [];
      const text = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${numberAt(port, 'hostPort')}`;
      if (hostPorts.has(text)) return [duplicate(child(at, 'hostPort'), text)];
      hostPorts.add(text);
      return [];
    }),
  );
}

function mountErrors(container: JsonObject, volumes: ReadonlySet<string>, path: string): readonly FieldError[] {
  const list = child(path, 'volumeMounts');
  const devices = listAt(container, 'volumeDevices');
  const [deviceNames, devicePaths] = [
    new Set(devices.map((device) => textAt(device, 'name'))),
    new Set(devices.map((device) => textAt(device, 'devicePath'))),
  ];
  const places = new Set<string>();
  return each(container, 'volumeMounts', path, (mount, at) => {
    const name = textAt(mount, 'name');
    const place = textAt(mount, 'mountPath');
    const errors: FieldError[] = name === '' ? [required(child(at, 'name'))] : [];
    if (!volumes.has(name)) errors.push(notFoundValue(child(at, 'name'), name));
    if (place === '') errors.push(required(child(at, 'mountPath')));
    if (places.has(place)) errors.push(invalidValue(child(at, 'mountPath'), place, 'must be unique'));
    places.add(place);
    if (deviceNames.has(name))
      errors.push(invalidValue(child(at, 'name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(place))
      errors.push(invalidValue(child(at, 'mountPath'), place, 'must not already exist as a path in volumeDevices'));
    return [
      ...errors,
      ...subPathErrors(mount, at, list),
      ...propagationErrors(mount, container, child(list, 'mountPropagation')),
      ...readOnlyErrors(mount, child(list, 'recursiveReadOnly')),
    ];
  });
}

/** Errors of subPath name the list, not the mount. */
function subPathErrors(mount: JsonObject, at: string, list: string): readonly FieldError[] {
  const path = textAt(mount, 'subPath');
  const expression = textAt(mount, 'subPathExpr');
  const errors: FieldError[] = path === '' ? [] : [...relativePath(path, child(list, 'subPath'))];
  if (expression === '') return errors;
  if (path !== '')
    errors.push(invalidValue(child(at, 'subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive'));
  return [...errors, ...relativePath(expression, child(list, 'subPathExpr'))];
}

function propagationErrors(mount: JsonObject, container: JsonObject, path: string): readonly FieldError[] {
  if (!has(mount, 'mountPropagation')) return [];
  const mode = textAt(mount, 'mountPropagation');
  const errors = PROPAGATIONS.includes(mode) ? [] : [notSupported(path, mode, PROPAGATIONS)];
  const privileged = structAt(container, 'securityContext')['privileged'] === true;
  if (mode !== 'Bidirectional' || privileged) return errors;
  return [
    ...errors,
    forbiddenField(path, 'Bidirectional mount propagation is available only to privileged containers'),
  ];
}

function readOnlyErrors(mount: JsonObject, path: string): readonly FieldError[] {
  if (!has(mount, 'recursiveReadOnly')) return [];
  const mode = textAt(mount, 'recursiveReadOnly');
  if (mode === 'Disabled') return [];
  if (!READ_ONLY_MODES.includes(mode)) return [notSupported(path, mode, READ_ONLY_MODES)];
  const errors =
    mount['readOnly'] === true ? [] : [forbiddenField(path, 'may only be specified when readOnly is true')];
  const spreads = has(mount, 'mountPropagation') && mount['mountPropagation'] !== 'None';
  return spreads
    ? [...errors, forbiddenField(path, 'may only be specified when mountPropagation is None or not specified')]
    : errors;
}
