/** Values of a run that the output may contain. */
export interface MaskedValues {
  readonly server: string;
  readonly namespace: string;
  readonly home: string;
}

/** Masks for values that differ between servers or runs. Longer patterns come before patterns that they contain. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\b20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000/g, 'TIME'],
  // Messages of kubectl about a watch that its own deadline ended or prevented.
  [/^[IWE]\d{4} .*(reflector|informerwatcher)\.go.*(very short watch|context deadline exceeded).*\n/gm, ''],
  // The IP repair controller of kube-apiserver runs every three minutes and may report an address that is being allocated.
  [/^.*\bClusterIPNotAllocated\b.*\n?/gm, ''],
  [/^Events:\s*\n +Type +Reason .*\n +---- .*\n(?! +\S)/gm, 'Events:  <none>\n'],
  [/^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1 '],
  [/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/(resourceVersion\\*"?: ?\\*"?|Resource Version: +)\d+/g, '$1VERSION'],
  [/(?<=v\d+\.\d+\.\d+)\+embedded\b/g, ''],
  [/\b10\.0\.0\.\d+\b/g, 'ADDRESS'],
  [/\b3\d{4}\b/g, 'PORT'],
  [/\bmade-[a-z0-9]{5}\b/g, 'made-NAME'],
  [/(?<![\w.:/-])(\d+[smhdy]){1,2}(?![\w.-])/g, 'AGE'],
  [/\/(LIVE|MERGED|kubectl-edit)-\d+/g, '/$1-NUMBER'],
];

/** The masked lines of an output. The width of columns depends on ages, so runs of blanks become two. */
export function maskedLines(output: string, { server, namespace, home }: MaskedValues): string[] {
  const placed = output.replaceAll(server, 'SERVER').replaceAll(namespace, 'NAMESPACE').replaceAll(home, 'HOME');
  const masked = MASKS.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), placed).replaceAll(
    /"\{(?:[^"\\\n]|\\.)*\}"/g,
    ordered,
  );
  const lines = masked
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replaceAll(/(?<=\S)  +/g, '  ').trimEnd());
  return masked === '' ? [] : lines;
}

/** A quoted object with sorted keys: kube-apiserver prints some in the order of the struct. */
function ordered(quoted: string): string {
  try {
    const object: unknown = JSON.parse(JSON.parse(quoted));
    return JSON.stringify(
      JSON.stringify(object, (_key, value: unknown) =>
        isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
      ),
    );
  } catch {
    return quoted;
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
