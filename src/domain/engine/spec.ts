import type { MultiClusterEngineSpec, Toleration } from '../../api/generated/multiclusterengine.js';
import { DEFAULT_TARGET_NAMESPACE } from '../../api/names.js';

/** A toleration of a pod: no empty fields, and `tolerationSeconds` only where Kubernetes accepts it. */
export interface PodToleration {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: string;
  /** Seconds; zero and negative: evicted at once. */
  readonly tolerationSeconds?: number;
}

/** A spec with its defaults. Defaults are never written into a user's spec. */
export interface EffectiveSpec {
  readonly targetNamespace: string;
  /** Name of a Secret in the target namespace; undefined for none. */
  readonly imagePullSecret: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly PodToleration[];
}

/** An invalid field of the spec: its path, its value and the rule that it breaks. */
export interface FieldError {
  readonly field: string;
  readonly value: string;
  readonly rule: string;
}

/** `spec`: one for which {@link validateSpec} returns no errors. */
export function effectiveSpec(spec: MultiClusterEngineSpec | undefined): EffectiveSpec {
  return {
    targetNamespace: targetNamespaceOf(spec),
    imagePullSecret: blank(spec?.imagePullSecret) ? undefined : spec?.imagePullSecret,
    nodeSelector: spec?.nodeSelector ?? {},
    tolerations: (spec?.tolerations ?? []).map(podToleration),
  };
}

/** The effective target namespace of any stored spec, also of an invalid one. */
export function targetNamespaceOf(spec: MultiClusterEngineSpec | undefined): string {
  const set: unknown = spec?.targetNamespace;
  return typeof set === 'string' && set !== '' ? set : DEFAULT_TARGET_NAMESPACE;
}

/**
 * Kubernetes refuses `tolerationSeconds` with every effect other than NoExecute, the empty one included. The API of the
 * engine says that it is ignored there, so it is dropped.
 */
function podToleration(wanted: Toleration): PodToleration {
  const seconds = wanted.effect === 'NoExecute' ? wanted.tolerationSeconds : undefined;
  return {
    ...(blank(wanted.key) ? {} : { key: wanted.key }),
    operator: wanted.operator ?? 'Equal',
    ...(blank(wanted.value) ? {} : { value: wanted.value }),
    ...(blank(wanted.effect) ? {} : { effect: wanted.effect }),
    ...(seconds === undefined || seconds === null ? {} : { tolerationSeconds: seconds }),
  };
}

function blank(text: string | null | undefined): text is '' | null | undefined {
  return text === undefined || text === null || text === '';
}
