/**
 * The output of containers, for GET …/pods/NAME/log: what a kubelet has on kube-apiserver. A server without it responds
 * to such requests with 405.
 */
export interface PodLogs {
  /** The output of one container; undefined where nothing is known of it (any more). */
  open(request: ContainerLogRequest): AsyncIterable<LogLine> | undefined;
}

/** Which lines of a container are requested. */
export interface ContainerLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The run of the container, as `containerID` in the status of the Pod. */
  readonly containerID: string;
  /** Whether the lines continue until the container has ended; otherwise they end with the last one known now. */
  readonly follow: boolean;
  /** Only this many of the lines known now. */
  readonly tailLines: number | undefined;
  /** Of those, only lines that are not older: ms since the epoch. */
  readonly since: number | undefined;
  /** Fires when the client has left; the lines must end then. */
  readonly signal: AbortSignal;
}

/** A line, or a part of a long one. */
export interface LogLine {
  /** When it was written, in ms since the epoch. */
  readonly time: number;
  /** With its line feed; without one where the line continues in the next part. */
  readonly text: string;
}
