/**
 * A Kubernetes API server in this process, and what a program needs that starts servers of its own. Everything else of
 * this package is private to it.
 */
export { startApiServer, type ApiServer, type ApiServerOptions } from './apiserver.js';
export { checkSecrets } from './credentials.js';
export { isWildcard } from './http/tls.js';
export { startChild, type Child, type ChildOptions, type Exit } from './process/child.js';
export { freePorts } from './process/ports.js';
export type { ApiBody, ApiRequest, ApiResponse } from './server.js';
export { codeOf, makeFolder } from './store/filesystem.js';
export { FolderInUse } from './store/lock.js';
export { Damaged } from './store/segment.js';
export type { UserInfo } from './user.js';
