export {
  planNames,
  accountStatus,
  callerKey,
  keySummary,
  account,
  accountsOperations,
  keyChanged,
  accountsHeartbeat,
  accountsSubjects,
  type CallerKey,
  type KeySummary,
  type Account,
  type KeyChanged,
} from './accounts';
export { createApiKey, isApiKey, apiKeyDigest, apiKeyDisplay } from './api-key';
export {
  dialectNames,
  dialectName,
  type Authentication,
  providerTimeouts,
  providerDefinition,
  priceSheet,
  modality,
  outputModality,
  deployment,
  catalogModel,
  catalogSnapshot,
  catalogOperations,
  catalogChanged,
  inferenceAnnouncement,
  catalogSubjects,
  type DialectName,
  type ProviderDefinition,
  type PriceSheet,
  type Deployment,
  type CatalogModel,
  type CatalogSnapshot,
  type InferenceAnnouncement,
} from './catalog';
export {
  edgeLimitsLoan,
  edgeLimitsNotice,
  edgeLimitsSubjects,
  type EdgeLimitsLoan,
  type EdgeLimitsNotice,
} from './edge-limits';
export { controlErrorCodes, controlErrorBody, ControlError, type ControlErrorCode } from './control-error';
export {
  GatewayError,
  rateLimitError,
  isGatewayErrorStatus,
  type GatewayErrorStatus,
  type GatewayErrorType,
  type ErrorBody,
} from './gateway-error';
export {
  generationRequest,
  generationAttempt,
  generationHead,
  generationFailureCodes,
  generationFailure,
  cancelReasons,
  generationSubjects,
  type GenerationRequest,
  type GenerationAttempt,
  type GenerationHead,
  type GenerationFailureCode,
  type GenerationFailure,
  type CancelReason,
} from './generation';
export { uuidv7 } from './ids';
export {
  chargeLine,
  explainedEvent,
  unsettledLease,
  deadLetter,
  ledgerOperations,
  type ChargeLine,
  type ExplainedEvent,
  type UnsettledLease,
  type DeadLetter,
} from './ledger';
export {
  quotaRecord,
  metricsPeriods,
  metricsReport,
  meteringOperations,
  type QuotaRecord,
  type MetricsPeriod,
  type MetricsReport,
} from './metering';
export { nanoUsdFromDecimal, decimalFromNanoUsd, type NanoUsd } from './money';
export { operation, type Operation } from './operation';
export { priceOperations, rateChange, type RateChange } from './price-import';
export {
  seriesSteps,
  seriesGroups,
  percentiles,
  seriesCounters,
  seriesLine,
  series,
  loggedRequest,
  reportOperations,
  type SeriesStep,
  type SeriesGroup,
  type Percentiles,
  type SeriesCounters,
  type SeriesLine,
  type Series,
  type LoggedRequest,
} from './reports';
export {
  surfaceNames,
  modelKind,
  modelKindOf,
  type SurfaceName,
  type GenerationSurface,
  type ModelKind,
} from './surface';
export {
  tokenUsage,
  noUsage,
  attempt,
  usageEvent,
  usageStream,
  type TokenUsage,
  type Attempt,
  type UsageEvent,
} from './usage-event';
