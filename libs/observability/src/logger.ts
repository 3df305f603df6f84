import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { environmentSecrets, KnownSecrets, redactor } from './redaction';

const known = new KnownSecrets();

/**
 * Has each logger of this process take these secrets out, too, which came after its start and not by its
 * environment. They are kept until it ends: what was let go may still be in an error.
 */
export function keepOutOfLogs(secrets: readonly string[]): void {
  known.add(secrets);
}

/**
 * A structured logger (JSON lines on standard output). Every line passes the redaction as a whole, so that a
 * credential in an error's message or stack, or deep in an object, is taken out too. Log facts, never bodies.
 * `level` is one of trace, debug, info, warn, error, fatal, silent.
 */
export function createLogger(
  service: string,
  level: string = knownLevel(process.env.LOG_LEVEL),
  destination?: DestinationStream,
): Logger {
  const options = {
    base: { service },
    level,
    hooks: { streamWrite: redactor(environmentSecrets(process.env), known) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Whoever reads the settings says what is wrong with the level: that must not end in a stack trace before.
 */
function knownLevel(level: string | undefined): string {
  return level !== undefined && (level === 'silent' || level in pino.levels.values) ? level : 'info';
}

export type { Logger };
