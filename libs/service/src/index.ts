export { LOGGER, NATS } from './injected';
export { Service, type ServiceDefinition } from './service';
export { ServiceSettings } from './service-settings';
export { startService } from './start-service';
