import type { KubeObject, ResourceType } from '../../../runtime/vocabulary/meta.js';
import { apiVersionOf, Namespaces, Secrets } from '../../../runtime/vocabulary/kinds.js';
import { APPLY_ORDER, BINDINGS, CATALOGUE } from '../catalogue.js';

/** The YAML of each component, by folder name. */
export type Templates = Readonly<Record<string, readonly KubeObject[]>>;

/**
 * The kinds of the components' objects in the target namespace, in the order of applying. Objects of these kinds are
 * found by label: watched, pruned, and removed with the engine.
 */
export function targetTypes(templates: Templates): readonly ResourceType[] {
  const used = new Set(CATALOGUE.flatMap((row) => (templates[row.folder] ?? []).map(typeOf)));
  return APPLY_ORDER.filter((type) => used.has(type) && type.namespaced && !isBinding(type));
}

/** The errors in the components' folders: a component without objects, or an object that no engine may consist of. */
export function templateErrors(templates: Templates): readonly string[] {
  const kinds = APPLY_ORDER.map((type) => type.kind).join(', ');
  const errors: string[] = [];
  for (const row of CATALOGUE) {
    const found = templates[row.folder] ?? [];
    if (found.length === 0) errors.push(`deploy/components/${row.folder}: holds no object of component ${row.name}`);
    for (const one of found) {
      const what = `deploy/components/${row.folder}: ${String(one.kind)} ${one.metadata.name}`;
      const type = typeOf(one);
      if (type === undefined || type === Namespaces || type === Secrets)
        errors.push(`${what}: kind must be one of ${kinds}, and neither Namespace nor Secret`);
      else if (isBinding(type) && !BINDINGS.some((each) => each.type === type && each.name === one.metadata.name))
        errors.push(`${what}: a binding must have a row in the table of bindings`);
    }
  }
  return errors;
}

/** The type of a manifest by its apiVersion and kind; undefined for kinds that no engine consists of. */
export function typeOf(manifest: KubeObject): ResourceType | undefined {
  return APPLY_ORDER.find((type) => type.kind === manifest.kind && apiVersionOf(type) === manifest.apiVersion);
}

export function isBinding(type: ResourceType): boolean {
  return type.kind === 'RoleBinding' || type.kind === 'ClusterRoleBinding';
}
