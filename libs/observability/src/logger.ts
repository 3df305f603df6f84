import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** Never logged, wherever they stand: credentials of callers and of providers. */
const secretPaths = [
  'authorization',
  '["x-api-key"]',
  '["x-goog-api-key"]',
  '["api-key"]',
  'cookie',
  '["set-cookie"]',
  'apiKey',
  'password',
  'pepper',
].flatMap((name) => [
  name,
  `*${name.startsWith('[') ? '' : '.'}${name}`,
  `*.*${name.startsWith('[') ? '' : '.'}${name}`,
]);

/** A structured logger (JSON lines on standard output), with credentials redacted. Log facts, never bodies. */
export function createLogger(
  service: string,
  level: string = process.env.LOG_LEVEL ?? 'info',
  destination?: DestinationStream,
): Logger {
  const options = {
    base: { service },
    level,
    redact: { paths: secretPaths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination ? pino(options, destination) : pino(options);
}

export type { Logger };
