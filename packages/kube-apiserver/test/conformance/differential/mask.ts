/** Masks values that the server sets (uids, versions, times, names, addresses). Equal values get equal masks. */
export class Masks {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #names = new Map<string, string>();

  value(value: unknown): unknown {
    return this.#walk(value, '');
  }

  text(text: string): string {
    const masked = text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) =>
        numbered(this.#uids, uid, 'UID'),
      )
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => (time.startsWith('2024') ? time : 'TIME'))
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b(?!\/)/g, 'ADDRESS')
      .replaceAll(/(in object meta: |current: |in record \()\d+/g, '$1VERSION')
      .replaceAll(/(resourceVersion\\?"?: ?\\?"?)\d+/g, '$1VERSION')
      // Messages of YAML errors are those of the parser.
      .replace(
        /(yaml: )(?!unmarshal errors|line \d+: key )(line \d+: )?.*?(?= \((?:[\da-f]+(?: \.\.\.)?|\{.*|<empty>)\)$|$)/s,
        '$1not YAML',
      )
      .replace(/(unsupported map key) .*$/s, '$1')
      .replace(/: errors:\n(.*)$/s, (_all, lines: string) => `: errors:\n${lines.split('\n').sort().join('\n')}`)
      .replace(/"\{\\"apiVersion\\":.*\}"/s, withSortedManagedFields)
      // Only kube-apiserver distinguishes an empty list from a missing one.
      .replace('[]: must have exactly one version', 'null: must have exactly one version')
      // kube-apiserver visits fields in map order and stops at the first unknown one.
      .replace(
        /(failed to create typed patch object \([^)]*\)): .*field not declared in schema.*$/s,
        '$1: fields not declared in schema',
      );
    return masked.replaceAll(/(?:made-|Odd_|(?:long)+lo)[a-z0-9]{5}\b/g, (name) =>
      numbered(this.#names, name, 'made-NAME'),
    );
  }

  #walk(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return this.#list(value, key);
    if (typeof value === 'object' && value !== null) return this.#object(value, key);
    if (typeof value === 'number' && /^(nodePort|healthCheckNodePort)$/.test(key)) return 'PORT';
    if (typeof value !== 'string') return value;
    if (key === 'resourceVersion' && /^\d{2,}$/.test(value)) return numbered(this.#versions, value, 'VERSION');
    if (key === 'continue' && value !== '') return 'CONTINUE';
    return this.text(value);
  }

  #list(items: readonly unknown[], key: string): unknown[] {
    const masked = items.map((item) => this.#walk(item, key));
    if (key === 'cells')
      return masked.map((cell) =>
        typeof cell === 'string' && /^(\d+[smhdy])+$|^<unknown>$/.test(cell) ? 'AGE' : cell,
      );
    // kube-apiserver orders managedFields by time, then by manager, and causes of a schema in map order.
    return key === 'managedFields' || key === 'causes'
      ? masked.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : masked;
  }

  #object(object: object, key: string): Record<string, unknown> {
    const isList = 'items' in object || 'columnDefinitions' in object;
    // A condition that is written twice within a second keeps its time and the owner of the time.
    const fields = Object.entries(object).filter(([name]) => name !== 'f:lastTransitionTime');
    const entries = fields.map(([name, value]): [string, unknown] => {
      if (isList && name === 'metadata') return [name, this.#object({ ...value, resourceVersion: 'LIST' }, name)];
      if (name === 'message' && 'details' in object) return [name, headOf(this.text(String(value)), object.details)];
      if (name === 'name' && 'generateName' in object && typeof value === 'string')
        return [name, numbered(this.#names, value, 'made-NAME')];
      // Times of managedFields differ between servers.
      if (key === 'managedFields' && name === 'time') return [name, 'TIME'];
      return [this.text(name), this.#walk(value, name)];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** A quoted object in an error. The order of its managedFields depends on the second in which they were written. */
function withSortedManagedFields(quoted: string): string {
  try {
    const object: { metadata?: { managedFields?: unknown[] } } = JSON.parse(JSON.parse(quoted));
    object.metadata?.managedFields?.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return JSON.stringify(JSON.stringify(object));
  } catch {
    return quoted;
  }
}

/** Drops the list of causes from a message. Causes are compared by themselves, sorted. */
function headOf(message: string, details: unknown): string {
  const causes =
    typeof details === 'object' && details !== null && 'causes' in details && Array.isArray(details.causes)
      ? details.causes
      : [];
  return causes.length > 1 ? message.replace(/ is invalid: .*$/s, ' is invalid: CAUSES') : message;
}

function numbered(known: Map<string, string>, value: string, word: string): string {
  const mask = known.get(value) ?? `${word}-${known.size + 1}`;
  known.set(value, mask);
  return mask;
}
