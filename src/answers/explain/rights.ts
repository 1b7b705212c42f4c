import type { AccessAttributes, KubeClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';

/** The caller's rights to run what is proposed. */

/** Those that the caller does not have, as far as that is known, as {@link rightText} gives them. */
export type Denied = ReadonlySet<string>;

interface Caller {
  readonly denied: Denied;
}

/** Those that the caller is known not to have. */
export function missingRights(rights: readonly AccessAttributes[], { denied }: Caller): readonly AccessAttributes[] {
  return rights.filter((one) => denied.has(rightText(one)));
}

/**
 * Asks for rights by access reviews: POST requests, which the API server answers and does not store. Where it does not answer
 * them nothing is denied: then the command says so itself.
 */
export async function deniedOf(
  client: Pick<KubeClient, 'allowed'>,
  rights: readonly AccessAttributes[],
): Promise<Denied> {
  const wanted = [...new Map(rights.map((one) => [rightText(one), one] as const))];
  try {
    const allowed = await Promise.all(wanted.map(([, one]) => client.allowed(one)));
    return new Set(wanted.flatMap(([key], index) => (allowed[index] === false ? [key] : [])));
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return new Set();
  }
}

/** `kubectl …`, after who can run it: `fix, by somebody who may create managedclustersetbindings in namespace shop: kubectl …`. */
export function fixText(
  { command, rights }: { readonly command: string; readonly rights: readonly AccessAttributes[] },
  report: Caller,
  what = 'fix',
): string {
  const missing = missingText(rights, report);
  return `${what}${missing === undefined ? '' : `, by somebody who may ${missing}`}: ${command}`;
}

/** `create and patch managedclustersetbindings in namespace shop`; undefined where nothing is known to be missing. */
function missingText(rights: readonly AccessAttributes[], report: Caller): string | undefined {
  const verbs = new Map<string, string[]>();
  for (const right of missingRights(rights, report)) {
    const of = objectsText(right);
    verbs.set(of, [...new Set([...(verbs.get(of) ?? []), right.verb])]);
  }
  return verbs.size === 0 ? undefined : [...verbs].map(([of, list]) => `${list.join(' and ')} ${of}`).join(', and ');
}

export function rightField({ verb, namespace, name, ...right }: AccessAttributes): object {
  const of = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
  return { verb, resource: resourceText(right), ...of };
}

function resourceText({ type, subresource }: Pick<AccessAttributes, 'type' | 'subresource'>): string {
  return subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
}

/** `create managedclustersetbindings in namespace shop`, `create managedclustersets/bind edge`. */
function rightText(right: AccessAttributes): string {
  return `${right.verb} ${objectsText(right)}`;
}

function objectsText({ namespace, name, ...right }: AccessAttributes): string {
  const of = name === undefined ? resourceText(right) : `${resourceText(right)} ${name}`;
  return namespace === undefined ? of : `${of} in namespace ${namespace}`;
}
