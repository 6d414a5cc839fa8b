import type { LoggerService } from '@nestjs/common';
import { pino, type Level, type Logger } from 'pino';
import { currentTrace } from './trace-context';

/**
 * One JSON line per event on standard error, with the trace id of the request that it belongs to.
 * @param level one of pino's levels, or `silent`
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const trace = currentTrace();
        return trace === undefined ? {} : { trace_id: trace.traceId };
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
}

/** What Nest itself has to say, through our logger: its start-up chatter at debug. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: Level) =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      const error = message instanceof Error ? { err: message } : {};
      logger[level]({ ...error, context: typeof context === 'string' ? context : undefined }, String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('trace'),
    warn: write('warn'),
    error: write('error'),
  };
}

export type { Logger };
