export { InternalServer, missingParts, type ReadinessCheck } from './internal-server';
export { Figures } from './metrics/figures';
export { serviceRegistry } from './metrics/service-registry';
export { createLogger, keepOutOfLogs, type Logger } from './logger';
export { toNestLogger, type NestLogger } from './nest-logger';
export { createTracer, type TracingSettings } from './tracing/create-tracer';
export { noSpan, noTracer, Tracer, type Span, type SpanAttributes } from './tracing/tracer';
export { version } from './version';
