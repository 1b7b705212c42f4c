import type { Attributes } from './authorizer.js';
import { forbidden, quoted, StatusError } from '../status.js';

/** The 403 for denied attributes. `reason`: the authorizer's explanation. */
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

/** Browsers may show these texts: kube-apiserver escapes them for HTML, and so does this server. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
