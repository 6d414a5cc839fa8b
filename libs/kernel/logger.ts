export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

interface LogFunction {
  (fields: object, message: string): void;
  (message: string): void;
}

/** The structured log, called as pino is: fields first, then the event in a few words. An error is the field `err`. */
export interface Logger extends Readonly<Record<LogLevel, LogFunction>> {
  /** A logger whose lines also hold these fields. */
  child(fields: object): Logger;
  isLevelEnabled(level: LogLevel): boolean;
}
