import type { Logger, LogLevel } from '@sluice/kernel';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: object;
}

export interface RecordingLogger extends Logger {
  /** In the order in which they were logged; with those of its children, whose fields they hold. */
  readonly lines: LogLine[];
  /** Of the lines. */
  readonly messages: readonly string[];
}

/** Prints nothing. `onLine` is called with each line once it is recorded. */
export function recordingLogger(onLine: (line: LogLine) => void = () => undefined): RecordingLogger {
  const lines: LogLine[] = [];
  const loggerWith = (bound: object): RecordingLogger => {
    const record =
      (level: LogLevel) =>
      (...[fields, message]: [object, string] | [string]): void => {
        const line: LogLine =
          typeof fields === 'string'
            ? { level, message: fields, fields: bound }
            : { level, message: message ?? '', fields: { ...bound, ...fields } };
        lines.push(line);
        onLine(line);
      };
    return {
      ...{ trace: record('trace'), debug: record('debug'), info: record('info') },
      ...{ warn: record('warn'), error: record('error'), fatal: record('fatal'), lines },
      get messages() {
        return lines.map((line) => line.message);
      },
      child: (more) => loggerWith({ ...bound, ...more }),
      isLevelEnabled: () => true,
    };
  };
  return loggerWith({});
}

/** For `recordingLogger`, in tests in which nothing may be logged. */
export function failOnLine({ message, fields }: LogLine): never {
  throw new Error(message, { cause: fields });
}
