import { own, type JsonObject } from '@multicluster-engine/values/json';
import { child, forbiddenField, index, invalidRaw, invalidValue } from '@multicluster-engine/values/schema/field';
import { byteLength, goJson } from '@multicluster-engine/values/text';
import { dns1123Subdomain } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { listAt, structAt } from '@multicluster-engine/values/fields';

const MAX_SPEC_KIB = 64;
const MAX_DOMAIN_LENGTH = 256;
const MAX_USER_LENGTH = 104;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Validates `windowsOptions` of a security context. */
export function checkWindows(options: JsonObject, path: string): readonly FieldError[] {
  const name = own(options, 'gmsaCredentialSpecName');
  const spec = own(options, 'gmsaCredentialSpec');
  const user = own(options, 'runAsUserName');
  return [
    ...(typeof name === 'string'
      ? invalidText(child(path, 'gmsaCredentialSpecName'), name, dns1123Subdomain(name))
      : []),
    ...(typeof spec === 'string' ? invalidText(child(path, 'gmsaCredentialSpec'), spec, specProblems(spec)) : []),
    ...(typeof user === 'string' ? invalidText(child(path, 'runAsUserName'), user, userProblems(user)) : []),
  ];
}

/** These fields are pointers in kube-apiserver, which prints their values as JSON. */
function invalidText(path: string, text: string, problems: readonly string[]): readonly FieldError[] {
  return problems.map((problem) => invalidRaw(path, goJson(text), problem));
}

function specProblems(spec: string): readonly string[] {
  if (spec === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return byteLength(spec) > MAX_SPEC_KIB * 1024 ? [`gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`] : [];
}

/** `DOMAIN\user` or `user`. */
function userProblems(text: string): readonly string[] {
  if (text === '') return ['runAsUserName cannot be an empty string'];
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return ['runAsUserName cannot contain control characters'];
  const parts = text.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length > 1 ? parts[0] : undefined;
  const problems: string[] = [];
  if (byteLength(domain ?? '') >= MAX_DOMAIN_LENGTH)
    problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN_LENGTH} characters`);
  if (domain !== undefined && !NETBIOS.test(domain) && !DOMAIN.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > MAX_USER_LENGTH)
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER_LENGTH} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return problems;
}

/** Host process containers: all containers or none, with hostNetwork. They are always rejected, as are privileged containers. */
export function checkHostProcesses(spec: JsonObject, path: string): readonly FieldError[] {
  const podValue = hostProcessOf(spec);
  const errors: FieldError[] = [];
  const chosen: boolean[] = [];
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [position, container] of listAt(spec, list).entries()) {
      const hostProcess = hostProcessOf(container);
      if (podValue !== undefined && hostProcess !== undefined && podValue !== hostProcess) {
        const at = child(index(child(path, list), position), 'securityContext.windowsOptions.hostProcess');
        errors.push(
          invalidValue(
            at,
            hostProcess,
            `pod hostProcess value must be identical if both are specified, was ${podValue}`,
          ),
        );
      }
      chosen.push(hostProcess ?? podValue ?? false);
    }
  }
  if (!chosen.includes(true)) return errors;
  if (chosen.includes(false))
    errors.push(
      invalidValue(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  if (spec['hostNetwork'] !== true)
    errors.push(
      invalidValue(
        child(path, 'hostNetwork'),
        false,
        'hostNetwork must be true if pod contains any hostProcess containers',
      ),
    );
  return [...errors, forbiddenField(path, 'hostProcess containers are disallowed by cluster policy')];
}

function hostProcessOf(value: JsonObject): boolean | undefined {
  const found = structAt(structAt(value, 'securityContext'), 'windowsOptions')['hostProcess'];
  return typeof found === 'boolean' ? found : undefined;
}
