/** Verbs, groups (`core` for the one without a name; undefined: the third are paths) and resources, by spaces. */
export type RuleRow = readonly [verbs: string, groups: string | undefined, resources: string];

export interface RoleRow {
  readonly name: string;
  readonly rules?: readonly RuleRow[];
  /** Its own label of rbac.authorization.k8s.io. */
  readonly label?: string;
  /** Labels of the roles whose rules it gathers. */
  readonly aggregates?: readonly string[];
  /** Groups that are bound to it. */
  readonly groups?: readonly string[];
}

/** ClusterRoles of kube-apiserver 1.36, as far as something here reads them. */
export const ROLES: readonly RoleRow[] = [
  {
    name: 'cluster-admin',
    rules: [
      ['*', '*', '*'],
      ['*', undefined, '*'],
    ],
    groups: ['system:masters'],
  },
  {
    name: 'system:discovery',
    rules: [
      ['get', undefined, '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'],
    ],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:monitoring',
    rules: [
      ['get', undefined, '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'],
      ['get', 'core', 'nodes/metrics'],
    ],
    groups: ['system:monitoring'],
  },
  {
    name: 'system:basic-user',
    rules: [
      ['create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'],
      ['create', 'authentication.k8s.io', 'selfsubjectreviews'],
    ],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:public-info-viewer',
    rules: [
      ['get', undefined, '/healthz /livez /readyz /version /version/'],
    ],
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'admin',
    aggregates: ['aggregate-to-admin'],
  },
  {
    name: 'edit',
    label: 'aggregate-to-admin',
    aggregates: ['aggregate-to-edit'],
  },
  {
    name: 'view',
    label: 'aggregate-to-edit',
    aggregates: ['aggregate-to-view'],
  },
  {
    name: 'system:aggregate-to-admin',
    label: 'aggregate-to-admin',
    rules: [
      ['create', 'authorization.k8s.io', 'localsubjectaccessreviews'],
      ['create delete deletecollection get list patch update watch', 'rbac.authorization.k8s.io', 'rolebindings roles'],
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    label: 'aggregate-to-edit',
    rules: [
      ['get list watch', 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'],
      ['impersonate', 'core', 'serviceaccounts'],
      ['create delete deletecollection patch update', 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'],
      ['create', 'core', 'pods/eviction'],
      ['create delete deletecollection patch update', 'core', 'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy'],
      ['create', 'core', 'serviceaccounts/token'],
      ['create delete deletecollection patch update', 'core events.k8s.io', 'events'],
      ['create delete deletecollection patch update', 'apps', 'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale'],
      ['create delete deletecollection patch update', 'autoscaling', 'horizontalpodautoscalers'],
      ['create delete deletecollection patch update', 'batch', 'cronjobs jobs'],
      ['create delete deletecollection patch update', 'extensions', 'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale'],
      ['create delete deletecollection patch update', 'policy', 'poddisruptionbudgets'],
      ['create delete deletecollection patch update', 'networking.k8s.io', 'ingresses networkpolicies'],
      ['create delete deletecollection get list patch update watch', 'coordination.k8s.io', 'leases'],
      ['create delete deletecollection patch update', 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'],
    ],
  },
  {
    name: 'system:aggregate-to-view',
    label: 'aggregate-to-view',
    rules: [
      ['get list watch', 'core', 'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status'],
      ['get list watch', 'core', 'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status'],
      ['get list watch', 'core', 'namespaces'],
      ['get list watch', 'core events.k8s.io', 'events'],
      ['get list watch', 'discovery.k8s.io', 'endpointslices'],
      ['get list watch', 'apps', 'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status'],
      ['get list watch', 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'],
      ['get list watch', 'batch', 'cronjobs cronjobs/status jobs jobs/status'],
      ['get list watch', 'extensions', 'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale'],
      ['get list watch', 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'],
      ['get list watch', 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'],
      ['get list watch', 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'],
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      ['create', 'authentication.k8s.io', 'tokenreviews'],
      ['create', 'authorization.k8s.io', 'subjectaccessreviews'],
    ],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      ['get', undefined, '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'],
    ],
    groups: ['system:serviceaccounts'],
  },
];
