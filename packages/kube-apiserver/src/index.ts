/**
 * A Kubernetes API server within the process, and the utilities of programs that run servers. Everything else in this
 * package is private.
 */
export { startApiServer, type ApiServer, type ApiServerOptions } from './server/apiserver.js';
export { type Clock, systemClock } from './clock.js';
export { checkSecrets } from './server/credentials.js';
export { isWildcard } from './http/connection/tls.js';
export { startChild, type Child, type ChildOptions, type Exit } from './process/child.js';
export { freePorts } from './process/ports.js';
export type { ApiBody, ApiRequest, ApiResponse } from './request.js';
export type { ContainerLogRequest, LogLine, PodLogs } from './podlogs.js';
export { codeOf, makeFolder } from './store/filesystem.js';
export { FolderInUse } from './store/lock.js';
export { Damaged } from './store/log/segment.js';
export type { UserInfo } from './user.js';
