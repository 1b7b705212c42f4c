/** Validates URIs and mail addresses as Go's `net/url` and `net/mail` do. */

/** `url.ParseRequestURI`: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (!/^[ -~\u0080-\u{10ffff}]+$/u.test(text)) return false;
  if (text === '*') return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0];
  if (scheme === undefined && text.startsWith(':')) return false;
  const rest = (scheme === undefined ? text : text.slice(scheme.length + 1)).replace(/\?[^]*$/, '');
  if (!rest.startsWith('/')) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && isEscaped(slash < 0 ? '' : rest.slice(slash));
}

function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@');
  const user = text.slice(0, Math.max(at, 0));
  if (at >= 0 && (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscaped(user))) return false;
  const host = text.slice(at + 1);
  if (host.startsWith('[')) return isBracketed(host);
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) return false;
  const name = colon < 0 ? host : host.slice(0, colon);
  if (name.includes(':') || /[[\]]/.test(name)) return false;
  return isHostName(name);
}

/** Percent-encoding in a host is allowed for bytes outside of ASCII only. */
function isHostName(name: string): boolean {
  if (/%(?![89a-fA-F][0-9a-fA-F])/.test(name)) return false;
  return /^(?:[A-Za-z0-9!$&'()*+,;=:<>"\-_.~%]|[\u0080-\u{10ffff}])*$/u.test(name);
}

function isBracketed(host: string): boolean {
  const end = host.lastIndexOf(']');
  if (end < 0 || !/^(?::\d*)?$/.test(host.slice(end + 1))) return false;
  const zone = host.indexOf('%25');
  const address = host.slice(1, zone >= 0 && zone < end ? zone : end);
  return /^[0-9a-fA-F:.]+$/.test(address) && address.includes(':');
}

/** Bounds the time of the regular expressions below; longer addresses are invalid. */
const MAX_EMAIL = 10_000;
const ATOM = /^(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]|[\u0080-\u{10ffff}])+$/u;

/** `mail.ParseAddress`: `a@b`, `<a@b>`, `Some Name <a@b>`, `"Quoted" <a@b>`. */
export function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL) return false;
  const trimmed = text.trim();
  const angle = /^([^<]*)<([^<>]*)>\s*(?:\([^()]*\)\s*)?$/.exec(trimmed);
  if (angle === null) return isAddress(trimmed.replace(/\s*\([^()]*\)$/, ''));
  return isPhrase((angle[1] ?? '').trim()) && isAddress((angle[2] ?? '').trim());
}

function isPhrase(text: string): boolean {
  if (text === '') return true;
  const words = text.match(/"(?:[^"\\]|\\[^])*"|[^\s"]+/g) ?? [];
  return words.every((word) => /^"[^]*"$/.test(word) || isDotted(word.replace(/\.$/, '')));
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at <= 0) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const quotedLocal = /^"(?:[ !#-[\]-~\u0080-\u{10ffff}]|\\[ -~])+"$/u.test(local);
  return (
    (quotedLocal || isDotted(local)) &&
    (isDotted(domain) || /^\[[0-9.]+\]$/.test(domain) || /^\[IPv6:[0-9a-fA-F:.]+\]$/.test(domain))
  );
}

function isDotted(text: string): boolean {
  return text.split('.').every((part) => ATOM.test(part));
}
