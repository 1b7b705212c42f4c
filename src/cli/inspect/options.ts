import type { OutputFormat } from '../output.js';

export interface InspectOptions {
  readonly output: OutputFormat;
  readonly colored: boolean;
}
