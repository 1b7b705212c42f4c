import { fill, fillZero, structIn, structsIn, textOf, type Draft } from '../../draft.js';
import { pullPolicy } from './image.js';
import { roundUpResources } from './resourcelist.js';
import { volumeDefaults } from './volume.js';

/** Sets the defaults of the spec of a Pod: those of a template, enableServiceLinks, and requests from limits. */
export function podDefaults(spec: Draft): void {
  podSpecDefaults(spec);
  fill(spec, 'enableServiceLinks', true);
  for (const list of ['initContainers', 'containers']) {
    for (const container of structsIn(spec, list)) requestsFromLimits(container);
  }
}

function requestsFromLimits(container: Draft): void {
  const resources = structIn(container, 'resources');
  const limits = resources === undefined ? undefined : structIn(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  resources['requests'] = { ...limits, ...structIn(resources, 'requests') };
}

/** Sets the defaults of a Pod spec in a template. */
export function podSpecDefaults(spec: Draft): void {
  fillZero(spec, 'dnsPolicy', 'ClusterFirst');
  fillZero(spec, 'restartPolicy', 'Always');
  fill(spec, 'securityContext', {});
  fill(spec, 'terminationGracePeriodSeconds', 30);
  fillZero(spec, 'schedulerName', 'default-scheduler');
  for (const volume of structsIn(spec, 'volumes')) volumeDefaults(volume);
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of structsIn(spec, list)) containerDefaults(container);
  }
  roundUpResources(spec, 'overhead');
  const resources = structIn(spec, 'resources');
  if (resources !== undefined) resourceDefaults(resources);
  mirrorServiceAccount(spec);
}

/** `serviceAccount` is the deprecated name of `serviceAccountName`; both are set. */
function mirrorServiceAccount(spec: Draft): void {
  const name = textOf(spec, 'serviceAccountName') || textOf(spec, 'serviceAccount');
  if (name === '') return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

function containerDefaults(container: Draft): void {
  fillZero(container, 'imagePullPolicy', pullPolicy(textOf(container, 'image')));
  fillZero(container, 'terminationMessagePath', '/dev/termination-log');
  fillZero(container, 'terminationMessagePolicy', 'File');
  for (const port of structsIn(container, 'ports')) fillZero(port, 'protocol', 'TCP');
  for (const variable of structsIn(container, 'env')) variableDefaults(variable);
  const resources = structIn(container, 'resources');
  if (resources !== undefined) resourceDefaults(resources);
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const one = structIn(container, probe);
    if (one !== undefined) probeDefaults(one);
  }
  const lifecycle = structIn(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    const handler = lifecycle === undefined ? undefined : structIn(lifecycle, hook);
    if (handler !== undefined) httpDefaults(handler);
  }
}

function variableDefaults(variable: Draft): void {
  const source = structIn(variable, 'valueFrom');
  const field = source === undefined ? undefined : structIn(source, 'fieldRef');
  if (field !== undefined) fillZero(field, 'apiVersion', 'v1');
  const file = source === undefined ? undefined : structIn(source, 'fileKeyRef');
  if (file !== undefined) fill(file, 'optional', false);
}

function resourceDefaults(resources: Draft): void {
  roundUpResources(resources, 'limits');
  roundUpResources(resources, 'requests');
}

function probeDefaults(probe: Draft): void {
  fillZero(probe, 'timeoutSeconds', 1);
  fillZero(probe, 'periodSeconds', 10);
  fillZero(probe, 'successThreshold', 1);
  fillZero(probe, 'failureThreshold', 3);
  httpDefaults(probe);
  const grpc = structIn(probe, 'grpc');
  if (grpc !== undefined) fill(grpc, 'service', '');
}

function httpDefaults(handler: Draft): void {
  const http = structIn(handler, 'httpGet');
  if (http === undefined) return;
  fillZero(http, 'path', '/');
  fillZero(http, 'scheme', 'HTTP');
}
