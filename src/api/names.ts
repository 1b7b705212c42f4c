/** Labels, annotations, finalizers and fixed object names: they are stored in users' clusters, so they must not change. */

export const PRODUCT = 'multicluster-engine';
/** Begins the names of this product's metrics. */
export const METRICS_PREFIX = 'multicluster_';
/** The source of this product's traces, and what begins the names of its attributes. */
export const TRACES = Object.freeze({ program: PRODUCT, prefix: 'multicluster.' });
/** On every object of the product, with its name as the value. */
export const PART_OF_LABEL = 'app.kubernetes.io/part-of';

export const ENGINE_LABEL = 'multicluster.platform.io/engine';
export const PAUSED_ANNOTATION = 'multicluster.platform.io/paused';
export const RECONCILE_ANNOTATION = 'multicluster.platform.io/reconcile-requested-at';
export const VERSION_ANNOTATION = 'multicluster.platform.io/version';
/**
 * On every object: the hash of what was applied. A stored object with the wanted hash is compared by its fields alone;
 * one with another hash may hold fields that are wanted no more, which an apply takes away.
 */
export const REVISION_ANNOTATION = 'multicluster.platform.io/revision';
/** On an object that an engine has taken over: when (RFC 3339); empty until that is done. */
export const ADOPTED_ANNOTATION = 'multicluster.platform.io/adopted-at';
/** On the pods of a component: the uid of the ServiceAccount that they run as. */
export const SERVICE_ACCOUNT_UID_ANNOTATION = 'multicluster.platform.io/service-account-uid';
/** On the pods of a component: the hash of the trust bundle that they mount. */
export const TRUST_BUNDLE_ANNOTATION = 'multicluster.platform.io/trust-bundle';
/** On a NetworkPolicy of a component: the ports of the API server that the engine's spec names, such as `443,16443`. */
export const API_SERVER_PORTS_ANNOTATION = 'multicluster.platform.io/api-server-ports';
/** On a serving certificate's Secret: when it ends (RFC 3339), and the certificates that were published with it (PEM). */
export const EXPIRY_ANNOTATION = 'multicluster.platform.io/certificate-expires-at';
export const TRUST_ANNOTATION = 'multicluster.platform.io/certificate-trust';
export const CLEANUP_FINALIZER = 'multicluster.platform.io/cleanup';

export const PLACEMENT_LABEL = 'cluster.fleetmgmt.io/placement';
export const CLUSTER_SET_LABEL = 'cluster.fleetmgmt.io/clusterset';
/** On a ManagedClusterSet: with the value `true` it can be deleted while it is in use. */
export const ALLOW_DELETION_ANNOTATION = 'cluster.fleetmgmt.io/allow-deletion';
export const DECISION_REVISION_ANNOTATION = 'cluster.fleetmgmt.io/decision-revision';
/** On a decision object: how many clusters left it lately that count against the disruption budget. */
export const REMOVALS_ANNOTATION = 'cluster.fleetmgmt.io/removals';
/** The same for clusters that came in. */
export const ADDITIONS_ANNOTATION = 'cluster.fleetmgmt.io/additions';
/** On a decision object: what has changed in it lately, and why. */
export const HISTORY_ANNOTATION = 'cluster.fleetmgmt.io/history';
/** On a decision object of a Placement with groups: the number of its piece among all, and the name of its group. */
export const DECISION_GROUP_INDEX_LABEL = 'cluster.fleetmgmt.io/decision-group-index';
export const DECISION_GROUP_NAME_LABEL = 'cluster.fleetmgmt.io/decision-group-name';
/** On the same object: which piece of its group it is, and how many clusters were selected when the piece was begun. */
export const DECISION_PIECE_ANNOTATION = 'cluster.fleetmgmt.io/decision-piece';
/** On a Placement: which clusters may leave until when, whatever holds them. */
export const ALLOW_REMOVALS_ANNOTATION = 'cluster.fleetmgmt.io/allow-removals';
/** The same for clusters that may come in. */
export const ALLOW_ADDITIONS_ANNOTATION = 'cluster.fleetmgmt.io/allow-additions';
/**
 * On a ManagedCluster that a controller made from an object of another inventory, and on a ClusterProfile that one made from a
 * ManagedCluster: that object, as `PLURAL.GROUP/[NAMESPACE/]NAME`, and a hash of what was read from it.
 */
export const SOURCE_ANNOTATION = 'cluster.fleetmgmt.io/source';
export const SOURCE_REVISION_ANNOTATION = 'cluster.fleetmgmt.io/source-revision';
/** On a ManagedCluster, with the value `true`: it stands for the hub, and the operator may report for it. */
export const LOCAL_CLUSTER_ANNOTATION = 'cluster.fleetmgmt.io/local-cluster';
/** Labels and taints with keys of this group are decided on the hub alone: other inventories cannot set them. */
export const OWN_KEY_PREFIX = 'cluster.fleetmgmt.io/';
/** On the Lease of the placement controller: the release of the zones by which its holder opens change windows. */
export const TIME_ZONE_DATA_ANNOTATION = 'cluster.fleetmgmt.io/time-zone-data';
/** On a MultiKueueConfig of Kueue: the Placement whose clusters it lists, as `NAMESPACE/NAME`. */
export const FOLLOWS_PLACEMENT_ANNOTATION = 'cluster.fleetmgmt.io/follows-placement';
/** On the ClusterProfiles of SIG Multicluster: the name of who manages the cluster. */
export const CLUSTER_MANAGER_LABEL = 'x-k8s.io/cluster-manager';
/** On the PlacementDecisions of SIG Multicluster: the same value on all objects of one decision. */
export const DECISION_KEY_LABEL = 'multicluster.x-k8s.io/decision-key';

/** The namespace of a command for users that names none. */
export const DEFAULT_NAMESPACE = 'default';
export const DEFAULT_TARGET_NAMESPACE = 'multicluster-engine';
export const OPERATOR_NAMESPACE = 'multicluster-engine-operator';
export const OPERATOR_SERVICE_ACCOUNT = 'multicluster-engine-operator';
export const INSTALLER_ROLE = 'multicluster-engine-installer';
export const COMPONENT_ROLE_PREFIX = 'multicluster-engine-';
export const ENGINE_LEASE = 'multicluster-engine-engine';
export const PLACEMENT_LEASE = 'multicluster-engine-placement';
export const CLUSTERS_LEASE = 'multicluster-engine-clusters';
export const INVENTORIES_LEASE = 'multicluster-engine-inventories';

/** The hub's namespace of the agents: for each cluster a ServiceAccount, a Lease and a Secret for joining, with its name. */
export const AGENTS_NAMESPACE = 'multicluster-engine-agents';
/** The namespace of the agent in its own cluster, and the Secret there with its token for the hub. */
export const AGENT_NAMESPACE = 'multicluster-engine-agent';
export const AGENT_TOKEN_SECRET = 'hub-token';
/** The ClusterRole of people who let clusters join, and that of the controller that watches the agents' Leases. */
export const ENROLLER_ROLE = 'multicluster-engine-enroller';
export const AGENT_LEASES_ROLE = 'multicluster-engine-agent-leases';
/** The ClusterRole of the operator while `spec.localCluster` of an engine is on. */
export const LOCAL_CLUSTER_ROLE = 'multicluster-engine-local-cluster';
/** The ManagedCluster that stands for the hub where the spec names none; and its label, which has the value `true`. */
export const DEFAULT_LOCAL_CLUSTER = 'local-cluster';
export const LOCAL_CLUSTER_LABEL = 'local-cluster';

/** Field managers of server-side apply and of status writes: one per controller. */
export const ENGINE_FIELD_MANAGER = 'multicluster-engine';
export const PLACEMENT_FIELD_MANAGER = 'multicluster-engine-placement';
export const CLUSTERS_FIELD_MANAGER = 'multicluster-engine-clusters';
export const HEALTH_FIELD_MANAGER = 'multicluster-engine-health';
export const EVENTS_FIELD_MANAGER = 'multicluster-engine-events';
export const INVENTORIES_FIELD_MANAGER = 'multicluster-engine-inventories';
export const LOCAL_CLUSTER_FIELD_MANAGER = 'multicluster-engine-local-cluster';
export const AGENT_FIELD_MANAGER = 'multicluster-engine-agent';
/**
 * Of the commands for users. The names must not begin with `kubectl`: Flux takes over what such managers have written, and
 * removes what its repository does not have. The second is that of `cluster add`: an apply of one drops the fields of another.
 */
export const CLI_FIELD_MANAGER = 'multicluster-engine-cli';
export const JOIN_FIELD_MANAGER = 'multicluster-engine-cli-join';
/** The field manager of the example objects that `standalone` makes. */
export const STANDALONE_FIELD_MANAGER = 'multicluster-engine-standalone';

/**
 * Keys of taints. The hub adds the first two, for a cluster whose Lease is not renewed and for one whose API does not serve;
 * people add the others.
 */
export const TAINTS = Object.freeze({
  unreachable: 'cluster.fleetmgmt.io/unreachable',
  unavailable: 'cluster.fleetmgmt.io/unavailable',
  cordoned: 'cluster.fleetmgmt.io/cordoned',
  draining: 'cluster.fleetmgmt.io/draining',
});

/** The annotation in which `kubectl apply` keeps the manifest that was applied last; no property of the object. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Decision objects hold at most this many clusters. */
export const DECISION_SIZE = 100;
/** Longest message written to a status or an event, in UTF-16 units. */
export const MESSAGE_LIMIT = 1024;

/**
 * The oldest release of Kubernetes whose API server can have every object of `crds/` and `deploy/`: the first with
 * ValidatingAdmissionPolicy v1. Charts, bundle, pages and a test name the same.
 */
export const OLDEST_KUBERNETES = '1.30';
