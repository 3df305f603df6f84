export { InternalServer, missingParts, type ReadinessCheck } from './internal-server';
export { createLogger, type Logger } from './logger';
