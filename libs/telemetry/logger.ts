import type { LoggerService } from '@nestjs/common';
import type { Logger, LogLevel } from '@sluice/kernel';
import { pino } from 'pino';
import pretty from 'pino-pretty';

/** Access tokens, app API keys and owner keys, wherever in a line they went astray; four digits stay. */
const CREDENTIAL = /(svc_(?:pat|app|own|ses)_[0-9a-f]{4})[0-9a-f]{4,}(?:_[0-9a-f]*)?/gi;

/**
 * One JSON line per event on standard error; on a terminal, lines made for reading. Credentials in it
 * are masked. What belongs to a request names its trace, as `trace_id`.
 * @param level one of pino's levels, or `silent`
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => line.replace(CREDENTIAL, '$1…') },
    },
    process.stderr.isTTY
      ? pretty({ destination: 2, sync: true, ignore: 'context', translateTime: 'SYS:HH:MM:ss' })
      : pino.destination({ fd: 2, sync: false }),
  );
}

/**
 * What Nest itself has to say, through our logger: its start-up chatter at debug. An object behind the
 * message is more of the line.
 */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: LogLevel) =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const error = message instanceof Error ? { err: message } : {};
      const facts = Object.assign(error, ...rest.filter((one) => typeof one === 'object')) as object;
      logger[level]({ ...facts, context: typeof context === 'string' ? context : undefined }, String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('trace'),
    warn: write('warn'),
    error: write('error'),
  };
}
