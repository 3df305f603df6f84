export { CatalogFollower } from './catalog-follower';
export { LOGGER, NATS } from './injected';
export { lookupPublic, outgoingAddress } from './outgoing-address';
export { PeriodicWork, type Turns, type Work } from './periodic-work';
export { Service, type HttpListener, type ServiceDefinition } from './service';
export { ServiceSettings } from './service-settings';
export { someAtOnce } from './some-at-once';
export { partOf, startService, startTogether } from './start-service';
