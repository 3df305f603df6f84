export { InternalServer, missingParts, type ReadinessCheck } from './internal-server';
export { createLogger, type Logger } from './logger';
export { toNestLogger, type NestLogger } from './nest-logger';
