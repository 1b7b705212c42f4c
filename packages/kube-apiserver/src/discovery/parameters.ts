/** Query parameters of lists, in the order of OpenAPI documents. */
export const LIST_PARAMETERS = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
  'watch',
];
/** Query parameters of the deletion of an object. */
export const DELETE_PARAMETERS = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
/** Query parameters of the deletion of a collection. */
export const DELETE_COLLECTION_PARAMETERS = [
  ...LIST_PARAMETERS.filter((name) => name !== 'allowWatchBookmarks' && name !== 'watch'),
  ...DELETE_PARAMETERS,
].sort();
/** Query parameters of creates and updates. */
export const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
