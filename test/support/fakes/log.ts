import type { Logger } from '../../../src/runtime/logger.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** The fields of the line and of the loggers above it. */
  readonly fields: object;
}

/** A log that keeps its lines. */
export class RecordingLog implements Logger {
  readonly lines: LogLine[];
  readonly #fields: object;

  constructor(fields: object = {}, lines: LogLine[] = []) {
    this.#fields = fields;
    this.lines = lines;
  }

  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  child(fields: object): Logger {
    return new RecordingLog({ ...this.#fields, ...fields }, this.lines);
  }

  #write(level: LogLine['level'], fields: object, message: string): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
