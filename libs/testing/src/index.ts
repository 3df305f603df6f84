export { aModel, aSnapshot } from './catalog-builders';
export { Chance } from './chance';
export { eventually } from './eventually';
export { freeze } from './freeze';
export { modelPatternCases } from './model-patterns';
export { freePort, isFree } from './free-port';
export { patience } from './patience';
export { findNatsServer, natsServerVersion } from './nats-binary';
export { newDataFolder } from './new-data-folder';
export { startNatsServer, NatsServer, type NatsServerOptions } from './nats-server';
export { startLinkedNatsCluster, startNatsCluster, type LinkedNatsCluster, type NatsCluster } from './nats-cluster';
export { findValkeyServer } from './valkey-binary';
export { startValkey, ValkeyServer, type ValkeyServerOptions } from './valkey-server';
export { startValkeyPair, type ValkeyPair } from './valkey-pair';
export { startProxyThread } from './proxy-thread';
export type { ProxyThread } from './proxy-thread';
export { startTcpProxy, TcpProxy } from './tcp-proxy';
export { startPgBouncer, type PgBouncer } from './pgbouncer';
export { startPostgres, type PostgresOptions } from './postgres';
export { startPostgresPair, type PostgresPair } from './postgres-pair';
export { findPostgresBinaries } from './postgres/postgres-binaries';
export { type PreparedData } from './postgres/prepared-data';
export { childrenOf } from './postgres/process-family';
export { type PostgresServer } from './postgres/postgres-server';
export {
  answerJson,
  asksForStream,
  beginStream,
  chatChunk,
  chatCompletion,
  chatEnding,
  chatUsage,
  chatWords,
  goodChat,
  streamWords,
} from './chat-scripts';
export {
  silence,
  startScriptedUpstream,
  ScriptedUpstream,
  type UpstreamScript,
  type UpstreamVisit,
} from './scripted-upstream';
export { callers, type ReadAnswer, type SurfaceCaller } from './surface-callers';
export { FakeOidcProvider } from './fake-oidc-provider';
export { OtlpReceiver, type ReceivedSpan } from './otlp-receiver';
export { serverEnvironment } from './server-environment';
export { undisturbed } from './undisturbed';
