export {
  createAdminToken,
  createApiKey,
  isAdminToken,
  isApiKey,
  isImportedKey,
  apiKeyDigest,
  apiKeyDisplay,
  importedKeyDigest,
  presentedKeyDigest,
} from './api-key';
export { day, monthStartMs } from './calendar';
export { controlErrorCodes, controlErrorBody, ControlError, type ControlErrorCode } from './control-error';
export { epochMs, lastMs } from './epoch-ms';
export { errorReasons, type ErrorReason } from './error-reasons';
export { type FailureElsewhere, fromFailureElsewhere, toFailureElsewhere } from './failure-elsewhere';
export {
  GatewayError,
  rateLimitError,
  guardrailError,
  isGatewayErrorStatus,
  type GatewayErrorStatus,
  type GatewayErrorType,
  errorDetails,
  type ErrorBody,
  type ErrorDetails,
  type LimitFacts,
} from './gateway-error';
export { uuidv7 } from './ids';
export { instanceList, instanceSubjects, releasesOf, runningInstance, type RunningInstance } from './instances';
export { nanoUsdFromDecimal, decimalFromNanoUsd, picoUsdFromDecimal, decimalFromPicoUsd, type NanoUsd } from './money';
export { byInstant, priceFactors, priceFactorsOf, type PriceFactors } from './money';
export { operation, type Operation, type ServedBy } from './operation';
export {
  surfaceNames,
  modelKind,
  modelKindOf,
  surfaceOfKind,
  type SurfaceName,
  type GenerationSurface,
  type ModelKind,
  dialectNames,
  dialectName,
  type DialectName,
} from './surface';
export { ToldCounts } from './told-counts';
export {
  tokenUsage,
  notCharged,
  withUnbilled,
  noUsage,
  attempt,
  tokensOfBoth,
  usageEvent,
  isOnOwnKey,
  usageEventOf,
  usageStream,
  withoutParts,
  type ServedTerms,
  type UsagePart,
  type TokenUsage,
  type Attempt,
  type UsageEvent,
  type UsageOutcome,
} from './usage-event';
