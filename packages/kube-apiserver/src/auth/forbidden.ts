import type { Attributes } from './authorizer.js';
import { forbidden, quoted, StatusError } from '../status.js';

/** The 403 of somebody who may not do that. `reason`: what the authorizer has to say besides. */
export function forbiddenBy(attributes: Attributes, reason: string): StatusError {
  const why = `${escapeHtml(describe(attributes))}${reason === '' ? '' : `: ${reason}`}`;
  if ('path' in attributes) return new StatusError(403, `forbidden: ${why}`, { reason: 'Forbidden', details: {} });
  const { group, resource, name } = attributes;
  return forbidden({ group, plural: resource }, name, why);
}

function describe(attributes: Attributes): string {
  const who = `User ${quoted(attributes.user.name)} cannot ${attributes.verb}`;
  if ('path' in attributes) return `${who} path ${quoted(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return `${who} resource ${quoted(what)} in API group ${quoted(group)} ${where}`;
}

/** These texts are shown by browsers now and then: the real server defuses them, and so does this one. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
