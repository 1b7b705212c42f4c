import type { JsonObject } from '@multicluster-engine/values/json';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import type { KubeObject } from '@multicluster-engine/values/object';
import { goQuote } from '@multicluster-engine/values/text';
import { badRequest } from '../../status.js';

/** The container that a request means, as kube-apiserver chooses it. @throws StatusError 400 where there is none */
export function containerNamed(pod: KubeObject, name: string): string {
  const spec = structAt(pod, 'spec');
  const { metadata } = pod;
  const namesOf = (list: string): string[] => listAt(spec, list).map((one) => textAt(one, 'name'));
  const [containers, init] = [namesOf('containers'), namesOf('initContainers')];
  if (name === '') {
    const [only] = containers;
    if (only !== undefined && containers.length === 1) return only;
    throw badRequest(
      `a container name must be specified for pod ${metadata.name ?? ''}, choose one of: [${[...init, ...containers].join(' ')}]`,
    );
  }
  if ([...containers, ...init, ...namesOf('ephemeralContainers')].includes(name)) return name;
  throw badRequest(`container ${name} is not valid for pod ${metadata.name ?? ''}`);
}

/**
 * The ID of the run whose output a request means: the current one or, while none runs, the last one; or the one before.
 * @throws StatusError 400 where there is none, in the words of a kubelet
 */
export function containerRun(pod: KubeObject, container: string, previous: boolean): string {
  const status = structAt(pod, 'status');
  const found = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => listAt(status, list))
    .find((one) => textAt(one, 'name') === container);
  const where = `container ${goQuote(container)} in pod ${goQuote(pod.metadata.name ?? '')}`;
  if (found === undefined) throw badRequest(`${where} is not available`);
  const state = structAt(found, 'state');
  const last = textAt(structAt(structAt(found, 'lastState'), 'terminated'), 'containerID');
  if (previous) {
    if (last === '') throw badRequest(`previous terminated ${where} not found`);
    return last;
  }
  const current = currentRun(found, state);
  if (current !== '') return current;
  if (last !== '') return last;
  const reason = textAt(structAt(state, 'waiting'), 'reason');
  throw badRequest(reason === '' ? `${where} is not available` : `${where} is waiting to start: ${reason}`);
}

function currentRun(container: JsonObject, state: JsonObject): string {
  if (state['running'] !== undefined) return textAt(container, 'containerID');
  return textAt(structAt(state, 'terminated'), 'containerID');
}
