import type { Logger } from 'pino';

/**
 * The part of Nest's LoggerService that a framework logger needs: messages, then as the last argument the
 * name of what speaks.
 */
export interface NestLogger {
  log(message: unknown, ...rest: unknown[]): void;
  error(message: unknown, ...rest: unknown[]): void;
  warn(message: unknown, ...rest: unknown[]): void;
  debug(message: unknown, ...rest: unknown[]): void;
  verbose(message: unknown, ...rest: unknown[]): void;
}

/**
 * Lets Nest write to a service's logger. What Nest tells at its start (modules, routes) becomes debug lines.
 */
export function toNestLogger(logger: Logger): NestLogger {
  const write =
    (level: 'error' | 'warn' | 'debug' | 'trace') =>
    (message: unknown, ...rest: unknown[]): void => {
      const fields = { context: rest.at(-1), ...(rest.length > 1 ? { stack: rest[0] } : {}) };
      if (message instanceof Error) logger[level]({ err: message, ...fields });
      else logger[level](fields, typeof message === 'string' ? message : JSON.stringify(message));
    };
  return {
    log: write('debug'),
    error: write('error'),
    warn: write('warn'),
    debug: write('debug'),
    verbose: write('trace'),
  };
}
