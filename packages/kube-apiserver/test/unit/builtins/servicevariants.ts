import type { KindVariants } from './variants.js';

const PORTS = [{ port: 80 }];

/** Addresses and ports of nodes that are given out differ from run to run: who compares masks them. */
export const SERVICE_VARIANTS: Readonly<Record<string, KindVariants>> = {
  Service: {
    path: '/api/v1/namespaces/default/services',
    base: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: PORTS, selector: { a: 'b' } } },
    create: {
      plain: {},
      'no spec': { spec: null },
      'no ports': { spec: { ports: null } },
      headless: { spec: { clusterIP: 'None' } },
      'headless for anything': { spec: { clusterIP: 'None', selector: null } },
      'headless without ports': { spec: { clusterIP: 'None', ports: null } },
      'headless in both fields': { spec: { clusterIP: 'None', clusterIPs: ['None'] } },
      'an address asked for': { spec: { clusterIP: '10.0.0.200' } },
      'an address outside': { spec: { clusterIP: '10.9.0.1' } },
      'the first address': { spec: { clusterIP: '10.0.0.1' } },
      'the address of the network': { spec: { clusterIP: '10.0.0.0' } },
      'no address': { spec: { clusterIP: 'x' } },
      'only the list of addresses': { spec: { clusterIPs: ['10.0.0.201'] } },
      'two addresses': { spec: { clusterIP: '10.0.0.202', clusterIPs: ['10.0.0.202', '10.0.0.203'] } },
      'addresses of both families': {
        spec: { clusterIP: '10.0.0.202', clusterIPs: ['10.0.0.202', 'fd00::1'], ipFamilyPolicy: 'PreferDualStack' },
      },
      'addresses that differ': { spec: { clusterIP: '10.0.0.202', clusterIPs: ['10.0.0.203'] } },
      'family six': { spec: { ipFamilies: ['IPv6'] } },
      'both families': { spec: { ipFamilies: ['IPv4', 'IPv6'] } },
      'bad families': { spec: { ipFamilies: ['IPv4', 'IPv4', 'X'], ipFamilyPolicy: 'Y' } },
      'prefer both': { spec: { ipFamilyPolicy: 'PreferDualStack' } },
      'require both': { spec: { ipFamilyPolicy: 'RequireDualStack' } },
      'another type': { spec: { type: 'Foo' } },
      'external name': { spec: { type: 'ExternalName', externalName: 'example.com.', ports: null, selector: null } },
      'external name missing': { spec: { type: 'ExternalName' } },
      'external name with addresses': {
        spec: {
          type: 'ExternalName',
          externalName: 'A_b',
          clusterIP: 'None',
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
        },
      },
      'external name of another type': { spec: { externalName: 'x' } },
      'ports of nodes': {
        spec: {
          type: 'NodePort',
          ports: [
            { port: 80, nodePort: 30080 },
            { port: 81, name: 'b', targetPort: 'web' },
            { port: 80, name: 'c', protocol: 'UDP' },
          ],
        },
      },
      'a node port': { spec: { type: 'NodePort' } },
      'a node port outside': { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] } },
      'a node port of a plain Service': { spec: { ports: [{ port: 80, nodePort: 30081 }] } },
      'headless with node ports': { spec: { type: 'NodePort', clusterIP: 'None' } },
      'a balancer': { spec: { type: 'LoadBalancer' } },
      'a balancer for local traffic': {
        spec: {
          type: 'LoadBalancer',
          externalTrafficPolicy: 'Local',
          loadBalancerSourceRanges: [' 10.0.0.0/8'],
          loadBalancerClass: 'example.com/x',
        },
      },
      'a balancer without node ports': { spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false } },
      'balancer fields of a plain Service': {
        spec: {
          loadBalancerClass: 'x',
          allocateLoadBalancerNodePorts: true,
          loadBalancerSourceRanges: ['x'],
          externalTrafficPolicy: 'Local',
          healthCheckNodePort: 5,
        },
      },
      'bad ports': {
        spec: {
          ports: [
            { port: 0 },
            { port: 70000, name: 'A_b', protocol: 'X' },
            { port: 80, name: 'a', targetPort: 'UP' },
            { port: 80, name: 'a', targetPort: 0, appProtocol: 'a b' },
            { port: 81, name: 'd', targetPort: 99999 },
          ],
        },
      },
      'ports twice': {
        spec: {
          ports: [
            { port: 80, name: 'a' },
            { port: 80, name: 'b' },
          ],
        },
      },
      sticky: { spec: { sessionAffinity: 'ClientIP' } },
      'sticky for too long': {
        spec: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 99999999 } } },
      },
      'not sticky with a time': { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } } },
      'bad affinity': { spec: { sessionAffinity: 'Foo' } },
      'external addresses': { spec: { externalIPs: ['1.2.3.4'] } },
      'bad external addresses': {
        spec: { externalIPs: ['x', '127.0.0.1', '0.0.0.0', '169.254.1.1', '01.2.3.4', '224.0.0.1', '::1', 'fe80::1'] },
      },
      'bad selector': { spec: { selector: { 'a b': 'c d' } } },
      'bad traffic': { spec: { internalTrafficPolicy: 'Foo', trafficDistribution: 'Bar' } },
      'traffic nearby': { spec: { trafficDistribution: 'PreferClose' } },
      'status dropped': { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
      'a name that begins with a digit': { metadata: { name: '1a' } },
      'a name with dots': { metadata: { name: 'a.b' } },
      'ranges in an annotation': {
        metadata: { annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': 'x, 10.0.0.0/8' } },
      },
      'hints and mode': {
        metadata: {
          annotations: {
            'service.kubernetes.io/topology-aware-hints': 'auto',
            'service.kubernetes.io/topology-mode': 'x',
          },
        },
      },
    },
    update: {
      'a class without a balancer': { next: { spec: { loadBalancerClass: 'a b' } } },
      'a bad class': { next: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a b' } } },
      'ports change': { next: { spec: { ports: [{ port: 81 }] } } },
      'address left out': { next: { spec: { clusterIP: null, clusterIPs: null } } },
      'address changes': { old: { spec: { clusterIP: '10.0.0.210' } }, next: { spec: { clusterIP: '10.0.0.211' } } },
      'address changes to none': { old: { spec: { clusterIP: '10.0.0.210' } }, next: { spec: { clusterIP: 'None' } } },
      'headless gets an address': {
        old: { spec: { clusterIP: 'None' } },
        next: { spec: { clusterIP: '10.0.0.212', clusterIPs: ['10.0.0.212'] } },
      },
      'becomes external': { next: { spec: { type: 'ExternalName', externalName: 'x.y' } } },
      'was external': {
        old: { spec: { type: 'ExternalName', externalName: 'x.y' } },
        next: { spec: { type: 'ClusterIP' } },
      },
      'gets node ports': { next: { spec: { type: 'NodePort' } } },
      'keeps node ports': {
        old: { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30090 }] } },
        next: { spec: { type: 'NodePort', ports: [{ port: 81 }] } },
      },
      'loses node ports': {
        old: { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30090 }] } },
        next: { spec: { type: 'ClusterIP', ports: [{ port: 80, nodePort: 30090 }], externalTrafficPolicy: 'Cluster' } },
      },
      'balancer class changes': {
        old: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a/b' } },
        next: { spec: { loadBalancerClass: 'a/c' } },
      },
      'balancer becomes plain': {
        old: { spec: { type: 'LoadBalancer', loadBalancerClass: 'a/b', ports: [{ port: 80, nodePort: 30091 }] } },
        next: { spec: { type: 'ClusterIP' } },
      },
      'status of a plain Service': {
        next: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
        subresource: 'status',
      },
      'status of a balancer': {
        old: { spec: { type: 'LoadBalancer' } },
        next: {
          metadata: { labels: { a: 'b' } },
          spec: { type: 'ClusterIP' },
          status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.b' }] } },
        },
        subresource: 'status',
      },
      'bad status of a balancer': {
        old: { spec: { type: 'LoadBalancer' } },
        next: {
          status: {
            loadBalancer: {
              ingress: [
                { ip: 'x' },
                { hostname: '1.2.3.4' },
                { hostname: 'a', ipMode: 'VIP' },
                { ip: '1.2.3.4', ipMode: 'Foo' },
              ],
            },
          },
        },
        subresource: 'status',
      },
      'family changes': { next: { spec: { ipFamilies: ['IPv6'] } } },
    },
  },
};
