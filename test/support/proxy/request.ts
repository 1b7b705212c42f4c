/** A request on its way through the proxy. */
export interface PassingRequest {
  /** From 1, in the order of arrival, per proxy. */
  readonly index: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** `plural` or `plural/subresource`; empty for paths that are no resources. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly watch: boolean;
  /** POST, PUT, PATCH or DELETE. */
  readonly write: boolean;
}

const RESOURCE = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Reads what a request is about from its first line. `namespaces/x` itself is the resource `namespaces`. */
export function passing(index: number, method: string, path: string): PassingRequest {
  const [route = '', query = ''] = path.split('?');
  const [, namespace = '', plural = '', name = '', subresource = ''] = RESOURCE.exec(route) ?? [];
  return {
    index,
    method,
    path,
    resource: subresource === '' ? plural : `${plural}/${subresource}`,
    namespace,
    name,
    watch: new URLSearchParams(query).get('watch') === 'true',
    write: method !== 'GET' && method !== 'HEAD',
  };
}
