/** The compared fields of aggregated discovery. */
export interface Aggregated {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources?: readonly AggregatedResource[] }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: { readonly kind: string };
    readonly verbs: readonly string[];
  }[];
}

/** The compared fields of unaggregated discovery: the resource list of each group-version. */
export interface Unaggregated {
  readonly lists: readonly { readonly groupVersion: string; readonly resources: readonly UnaggregatedResource[] }[];
}

interface UnaggregatedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A resource in a form that both kinds of discovery have in common. */
export interface Entry {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** Resources by `group/version plural[/subresource]`. */
export function catalogueOf(discovery: Aggregated | Unaggregated): ReadonlyMap<string, Entry> {
  return new Map('items' in discovery ? aggregatedEntries(discovery) : unaggregatedEntries(discovery));
}

function aggregatedEntries({ items }: Aggregated): (readonly [string, Entry])[] {
  const resources = items.flatMap(({ metadata: { name = '' }, versions }) =>
    versions.flatMap(({ version, resources: all = [] }) => all.map((one) => ({ prefix: `${name}/${version}`, one }))),
  );
  return resources.flatMap(({ prefix, one }) => {
    const namespaced = one.scope === 'Namespaced';
    const { shortNames = [], categories = [], subresources = [] } = one;
    const main = [
      `${prefix} ${one.resource}`,
      {
        kind: one.responseKind.kind,
        namespaced,
        singular: one.singularResource,
        verbs: [...one.verbs].sort(),
        shortNames,
        categories,
      },
    ] as const;
    return [
      main,
      ...subresources.map(
        (sub) =>
          [
            `${prefix} ${one.resource}/${sub.subresource}`,
            {
              kind: sub.responseKind.kind,
              namespaced,
              singular: '',
              verbs: [...sub.verbs].sort(),
              shortNames: [],
              categories: [],
            },
          ] as const,
      ),
    ];
  });
}

function unaggregatedEntries({ lists }: Unaggregated): (readonly [string, Entry])[] {
  return lists.flatMap(({ groupVersion, resources }) =>
    resources.map(({ name, singularName, namespaced, kind, verbs, shortNames = [], categories = [] }) => {
      const prefix = groupVersion.includes('/') ? groupVersion : `/${groupVersion}`;
      return [
        `${prefix} ${name}`,
        { kind, namespaced, singular: singularName, verbs: [...verbs].sort(), shortNames, categories },
      ] as const;
    }),
  );
}
