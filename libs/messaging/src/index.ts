export { connectToNats, type NatsOptions } from './connection/connect-to-nats';
export {
  natsAddress,
  withCredentials,
  withoutCredentials,
  addressOptions,
  type NatsAddress,
} from './connection/nats-address';
export { Echo } from './connection/echo';
export { Link } from './connection/link';
export { knownServers } from './connection/server-choice';
export { silence } from './connection/silence';
export { type CallPatience, ControlClient } from './control/control-client';
export { controlServerOptions } from './control/control-server';
export { Serve } from './control/serve';
export { serveOperation } from './control/serve-operation';
export {
  GenerationClient,
  GenerationServer,
  type GenerationCall,
  type GenerationHandle,
  type GenerationHandler,
  type GenerationListener,
  type PlaceKeeper,
} from './generation/generation-stream';
export { NatsGenerationClient, type NatsGenerationClientOptions } from './generation/client/nats-generation-client';
export { NatsGenerationServer, type NatsGenerationServerOptions } from './generation/server/nats-generation-server';
export { AccountPace, Company } from './memory/account-pace';
export { EventLoopTurns } from './memory/event-loop-turns';
export { FairMemory, leavesToOthers, MemoryFullError, type HeldMemory } from './memory/fair-memory';
export { dropPiece, hasOwnMemory, LargeBuffers, largeBytes, mappedBytes } from './memory/large-buffers';
export { LruMap } from './memory/lru-map';
export { ReadTurns } from './memory/read-turns';
export { ThreadsByOwner } from './memory/threads-by-owner';
export type { Owner } from './memory/turns-by-owner';
export { TransientMap, TransientSet } from './memory/transient';
export { hopFailures } from './generation/hop-failures';
export { defaultHopSettings, type HopSettings } from './generation/hop-settings';
export { DeadLetters, type UsageLetter } from './usage/dead-letters';
export { natsUserNames, type NatsUserName } from './permissions/nats-users';
export { serverAuthorization } from './permissions/server-authorization';
export { askInstances, tellInstance } from './running-instances';
export { publishJson, subscribeJson, type NoticeSubscription } from './notices';
export {
  UnusableEventsError,
  UsageConsumer,
  type UsageConsumerOptions,
  type UsageHandler,
} from './usage/usage-consumer';
export { OrphanedUsage, type OrphanedUsageOptions } from './usage/journal/orphaned-usage';
export { UsageJournal, type UsageJournalOptions } from './usage/journal/usage-journal';
export { UsagePublisher, type UsagePublisherOptions } from './usage/usage-publisher';
export { keepCopies, type StreamCopies } from './usage/stream-copies';
export { KeptUsage } from './usage/kept-usage';
export { ensureUsageStreams, keepAcknowledged, usageBacklog, type StreamState } from './usage/usage-streams';
