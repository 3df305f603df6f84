import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { environmentSecrets, redactor } from './redaction';

/**
 * A structured logger (JSON lines on standard output). Every line passes the redaction as a whole, so that a credential in an error's message or stack, or
 * deep in an object, is taken out too. Log facts, never bodies. `level` is one of trace, debug, info, warn, error, fatal, silent.
 */
export function createLogger(
  service: string,
  level: string = process.env.LOG_LEVEL || 'info',
  destination?: DestinationStream,
): Logger {
  const options = {
    base: { service },
    level,
    hooks: { streamWrite: redactor(environmentSecrets(process.env)) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination ? pino(options, destination) : pino(options);
}

export type { Logger };
