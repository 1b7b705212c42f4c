/** Condition types, reasons and events of a MultiClusterEngine, each with its meaning. Data only. */

export type EnginePhase = 'Progressing' | 'Available' | 'Updating' | 'Paused' | 'Uninstalling' | 'Error';

/** Condition types of an engine. Reconciling and Stalled are present only while they are True, never both. */
export const EngineConditions = Object.freeze({
  Ready: 'Ready',
  Available: 'Available',
  Reconciling: 'Reconciling',
  Stalled: 'Stalled',
});

/** Reasons of the conditions. */
export const EngineReasons = Object.freeze({
  EngineReady: 'every component is applied for this generation and available',
  Installing: 'the components are being installed for the first time',
  RollingOut: 'a component is being updated to its desired state',
  Updating: "the components are being updated to the running operator's version",
  ComponentsAvailable: 'every object is applied and every Deployment serves',
  ComponentsUnavailable: 'the objects that the message names are not applied or do not serve',
  ApplyFailed: 'the API server refused a write; it is tried again',
  ForeignObject: 'an object of that name has another owner and is not changed',
  PullSecretNotFound: 'the Secret that spec.imagePullSecret names does not exist in the target namespace',
  PullSecretUnusable: 'the Secret that spec.imagePullSecret names is of a type with which no image is pulled',
  CertificateUnusable: 'the Secret with the serving certificate was created by somebody else, and no server can use it',
  TrustBundleUnusable:
    'the ConfigMap that spec.trustBundle names is missing, or holds no certificates; the components keep what they trust',
  PoliciesMissing:
    'the components run, and admission policies that limit an identity are not in force; the message has the command',
  NamespaceTerminating: 'the target namespace is being deleted; nothing can be created in it until it is gone',
  PermissionDenied: 'the operator lacks a right; the message names it and the binding that would give it',
  AnotherEngineExists: 'an older engine exists; a hub has one engine',
  InvalidSpec: 'the spec holds a value that admission should have refused, or that this operator cannot serve',
  Paused: 'the annotation multicluster.platform.io/paused stops every write except that of status',
  Uninstalling: 'the engine is being deleted and its objects are being removed',
  Retrying: 'an operation failed or waits for another one; the operator retries',
});

export type EngineReason = keyof typeof EngineReasons;

/** Reasons of the rows in `status.components`. */
export const ComponentReasons = Object.freeze({
  Applied: 'the object is stored as desired',
  Adopted: 'the object was there before, nobody owned it, and the engine has taken it over; the message says when',
  Given:
    'the Secret was created by somebody else and is used as it is; or the ManagedCluster has an agent, which reports',
  Doubtful: 'the Secret was created by somebody else and is used; the message says what may be wrong with it',
  Unusable: 'the Secret was created by somebody else, and no component can serve with it; the message says why',
  Available: 'every replica of the Deployment is up to date and available',
  RollingOut: 'the Deployment serves, or will soon, and its rollout is not complete',
  Unavailable: 'the rollout of the Deployment is complete or past its deadline, and replicas are missing',
  Pending: 'the object has not been applied yet; it waits for another one',
  ApplyFailed: 'the API server refused the write',
  PermissionDenied: 'the operator lacks the right to write the object',
  Skipped: 'an object of that name has another owner and is not changed',
  Drifted: 'the stored object differs from the desired one; the pause delays the repair',
  Missing: 'the object does not exist; the pause delays its creation',
  Uninstalling: 'the object is being removed',
  Disabled: 'spec.components turns the component off; the message says what does not happen meanwhile',
});

export type ComponentReason = keyof typeof ComponentReasons;

/** Events about an engine: one per real change. Their namespace is `default`, since an engine has none. */
export const EngineEvents = Object.freeze({
  EngineInstalling: { type: 'Normal', when: 'the installation of a new engine begins' },
  EngineAvailable: { type: 'Normal', when: 'Ready becomes True' },
  EngineUpdating: { type: 'Normal', when: 'the running operator has another version than the components' },
  EnginePaused: { type: 'Normal', when: 'the pause begins' },
  EngineResumed: { type: 'Normal', when: 'the pause ends' },
  EngineStalled: { type: 'Warning', when: 'the user has to act; the note is that of the Stalled condition' },
  EngineUninstalling: { type: 'Normal', when: 'the uninstallation begins' },
  EngineUninstalled: {
    type: 'Normal',
    when: 'nothing of the engine is left; the note says whether the namespace stays',
  },
  ComponentUnavailable: { type: 'Warning', when: 'a component that was available no longer is' },
  ComponentFailed: { type: 'Warning', when: 'the same object failed to apply in three reconciles in a row' },
  PullSecretNotFound: { type: 'Warning', when: 'the pull secret is missing' },
  PullSecretUnusable: { type: 'Warning', when: 'the pull secret is of a type with which no image is pulled' },
  CertificateUnusable: {
    type: 'Warning',
    when: 'the Secret of a serving certificate that somebody else made cannot be used; the note says why',
  },
  TrustBundleUnusable: {
    type: 'Warning',
    when: 'the ConfigMap that spec.trustBundle names cannot be used; the note says why',
  },
  PoliciesMissing: {
    type: 'Warning',
    when: 'an admission policy that limits an identity is not in force, or its binding is not; the note has the command',
  },
  ComponentDisabled: {
    type: 'Normal',
    when: 'a component that spec.components turns off is removed',
  },
  ObjectAdopted: {
    type: 'Normal',
    when: 'spec.adoption let the engine take over an object that nobody owned',
  },
  DriftRepaired: {
    type: 'Normal',
    when: 'an object was changed or deleted by somebody else and was restored; the note names the fields',
  },
  CertificateRenewed: { type: 'Normal', when: 'a serving certificate was close to its expiry and was replaced' },
  ObjectPruned: { type: 'Normal', when: 'an object that is no longer desired was deleted' },
} as const);

export type EngineEvent = keyof typeof EngineEvents;
