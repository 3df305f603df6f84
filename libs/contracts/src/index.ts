export {
  accountPermission,
  accountRole,
  mayInAccount,
  rolePermissions,
  type AccountPermission,
  type AccountRole,
} from './account-roles';
export { adminActOf, adminRoutes, adminRouteOf } from './admin-api';
export type { AdminRoute, EdgeRoute } from './admin-route';
export {
  adminScope,
  adminScopes,
  adminTokenOperations,
  directoryScope,
  unknownDeed,
  type AdminScope,
  type AdminToken,
} from './admin-tokens';
export {
  alertKind,
  webhookForm,
  webhookOperations,
  type AlertKind,
  type Webhook,
  type WebhookDelivery,
  type WebhookForm,
} from './alerts';
export {
  attribution,
  longestAttributionName,
  mostTags,
  sliceDimensions,
  type Attribution,
  type SliceDimension,
  tagForm,
  windowDimensions,
  type WindowDimension,
} from './attribution';
export { mostProjectKeys, type Projects } from './projects';
export { staleTokenReason } from './stale-token';
export {
  accountStatus,
  callerKey,
  toWireKey,
  keySummary,
  account,
  accountsOperations,
  keySettings,
  newKeySettings,
  changedKeySettings,
  keyChanged,
  accountsHeartbeat,
  accountsSubjects,
} from './accounts';
export type { Account, CallerKey, ChangedKeySettings, KeyChanged, KeySettings, KeySummary, OwnLimit } from './accounts';
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
export {
  billOperations,
  driftLine,
  driftReasons,
  driftRequest,
  invoiceOperations,
  kindInWords,
  modelNamedBy,
  toldBills,
  readBill,
  type BilledDay,
  type BilledLine,
  type DriftLine,
  type DriftRequest,
  type ReadBill,
  type KeptAnswer,
  type UsedMinute,
} from './bills';
export { certainDrift, driftOfModels, type OwnSide } from './drift';
export { budgetAmount } from './budget-amount';
export { digestOfName } from './budget-name';
export {
  budget,
  budgetLeaseOperations,
  budgetOperations,
  budgetState,
  budgetWindow,
  changedExceeding,
  keyBudget,
  newBudget,
  projectName,
  type Budget,
  type BudgetEach,
  type BudgetHold,
  type BudgetState,
  type BudgetUnit,
  type BudgetWindow,
  type KeyBudget,
  type ReachedBudget,
} from './budgets';
export {
  importOperations,
  type ImportCounts,
  type ImportedAccount,
  type ImportedBudget,
  type ImportedKey,
} from './imports';
export { timeLimits, type TimeLimits } from './time-limits';
export { monthStartMs } from './calendar';
export {
  type Authentication,
  providerDefinition,
  serverNames,
  modelDiscovery,
  type ServerName,
  type ModelDiscovery,
  modality,
  outputModality,
  deployment,
  catalogModel,
  catalogSnapshot,
  hasOldPrices,
  isSimulated,
  simulatedModels,
  catalogChanged,
  catalogMemory,
  catalogSubjects,
  type ProviderDefinition,
  type Deployment,
  type CatalogModel,
  type CatalogSnapshot,
} from './catalog';
export {
  inferenceAnnouncement,
  listedByProvider,
  type InferenceAnnouncement,
  type ListedByProvider,
} from './inference-announcement';
export {
  priceSheet,
  priceChange,
  type PriceChange,
  type PriceSheet,
  type PriceTerm,
  type PriceTerms,
  statedPriceSheet,
} from './price-sheet';
export { catalogOperations, settingsOperations, type SettingsChange, type SettingsEntry } from './catalog-operations';
export { hasSameContent, type LeftOut, type ToldSnapshot } from './told-snapshot';
export { hoursAt, hoursInWords, priceHours, type PriceHours } from './price-hours';
export { retirement, isRetired, endsSoon, toldFrom, retiredName } from './retirement';
export type { Retirement, RetiredName } from './retirement';
export {
  aboutProviderKey,
  liveProviderOperations,
  providerKey,
  providerKeyName,
  sealingOperations,
  type LiveProvider,
  type SealingKey,
} from './live-providers';
export { aboutOwnKey, isOwnKeyProvider, mostOwnKeyCharacters, ownKeyOperations, ownKeyProvider } from './own-keys';
export { ownKeyProviderOperations, ownKeySealingOperations, takersOfOwnKeys, type OwnKey } from './own-keys';
export { inferenceOperations, modelLook, providerCheck, providerOperations, type ModelLook } from './provider-check';
export type { ProviderCheck } from './provider-check';
export { deploymentHealth, deploymentHold, healthReport, healthSubjects, providerKeyRest } from './deployment-health';
export type { DeploymentHealth, DeploymentHold, HealthReport, ProviderKeyRest } from './deployment-health';
export { catalogListing } from './catalog-listing';
export { deploymentList, type ListedDeployment } from './deployment-list';
export { incidentOperations, mostIncidents, type Incident } from './incidents';
export { instanceList, instanceSubjects, releasesOf, runningInstance, type RunningInstance } from './instances';
export {
  edgeLimitsLoan,
  edgeLimitsNotice,
  edgeLimitsSubjects,
  type EdgeLimitsLoan,
  type EdgeLimitsNotice,
} from './edge-limits';
export { guardrailActions, personalDataKinds, guardrail } from './guardrails';
export type { PersonalDataKind, GuardrailAction, Guardrail } from './guardrails';
export { guardrailOperations, guardrailSides, guardrailTrial, mostGuardrailFindings } from './guardrail-findings';
export type { FoundInHour, GuardrailCount, GuardrailSide } from './guardrail-findings';
export {
  contentLogRules,
  newLoggedContent,
  loggedContentFacts,
  loggedContent,
  contentLogOperations,
  contentLogSubjects,
  droppedContent,
  type ContentLogRules,
  type NewLoggedContent,
  type DroppedContent,
  type LoggedContentFacts,
  type LoggedContent,
} from './content-log';
export {
  longestRefusalMessage,
  mostRefusalCauses,
  namedRefusal,
  refusalOperations,
  type NamedRefusal,
  type RefusalCause,
  type RefusedInMinute,
} from './refusals';
export { controlErrorCodes, controlErrorBody, ControlError, type ControlErrorCode } from './control-error';
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
export { type FailureElsewhere, fromFailureElsewhere, toFailureElsewhere } from './failure-elsewhere';
export {
  tokenizerTask,
  type TokenizerTask,
  generatesNothing,
  generationRequest,
  toWireRequest,
  generationAttempt,
  generationHead,
  generationFailureCodes,
  generationFailure,
  cancelReasons,
  generationSubjects,
  type GenerationKind,
  type GenerationRequest,
  type GenerationAttempt,
  type GenerationHead,
  type GenerationFailureCode,
  type GenerationFailure,
  type CancelReason,
} from './generation';
export { errorReasons, type ErrorReason } from './error-reasons';
export { epochMs, lastMs } from './epoch-ms';
export { uuidv7 } from './ids';
export {
  chargeKindNames,
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
  type SlicedReport,
  type Slice,
  slicesAndRest,
} from './metering';
export { nanoUsdFromDecimal, decimalFromNanoUsd, picoUsdFromDecimal, decimalFromPicoUsd, type NanoUsd } from './money';
export { byInstant, priceFactors, priceFactorsOf, type PriceFactors } from './money';
export { neededVariables } from './needed-variables';
export { mostStatementModels, otherModels, statement, statementMonth, statementOperations } from './statement';
export type { Statement, StatementLine, StatementSum } from './statement';
export { operation, type Operation, type ServedBy } from './operation';
export { ToldCounts } from './told-counts';
export { isMatch, isModelAllowed } from './model-access';
export { formsOf, ModelIndex, type OwnKeys } from './model-index';
export { nearestModels, newestModels } from './nearest-models';
export {
  personRole,
  personName,
  emailAddress,
  newPassword,
  typedPassword,
  person,
  ownAccount,
  signedIn,
  openedSession,
  signInFeatures,
  sessionSummary,
  mail,
  namedAuditLine,
  resetLink,
  type ResetLink,
  type NamedAuditLine,
  accountRow,
  peopleOperations,
  administrationOperations,
  type PersonRole,
  type Person,
  type SignedIn,
  type OpenedSession,
  type SignInFeatures,
  type Mail,
} from './people';
export { plan, planName, type Plan } from './plan';
export { planOperations } from './plans';
export { setGuardrailOperations, type SetGuardrail } from './set-guardrails';
export { setModelOperations, statedDeployment, statedModel, type SetModel, type StatedModel } from './set-models';
export { largeMarkup, setFactorOperations, type SetFactors, type ToldFactors } from './set-factors';
export { clockBoundMs, setPriceOperations, type SetPrice, type ToldPrice } from './set-prices';
export { priceDoubt, type PriceDoubt } from './price-doubt';
export { priceOperations, rateChange, type RateChange } from './price-import';
export {
  responseCacheProvider,
  loggedRequest,
  slicedWindow,
  type SlicedWindow,
  reportOperations,
  type LoggedRequest,
  namedRequest,
  failureCauses,
  mostFailureCauses,
  type FailureCause,
  type FailureCauses,
  requestOrder,
  type RequestOrder,
  type NamedRequest,
  type UsedDay,
} from './reports';
export {
  seriesSteps,
  seriesGroups,
  percentiles,
  series,
  type SeriesStep,
  type SeriesGroup,
  type Percentiles,
  type SeriesCounters,
  type SeriesLine,
  type Series,
} from './series';
export { seriesReply, toSeries, type SeriesColumns, type SeriesInColumns } from './series-columns';
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
export { unlistedModel } from './unlisted-model';
export { conversationLeaseMs, conversationMs, conversationOperations, mostConversationItems } from './conversations';
export type { ItemPart } from './conversations';
export { longestChainMs, storedResponseMs, storedResponseOperations } from './stored-responses';
export type { ReadPart, ReadTurn, TurnPart } from './stored-responses';
export {
  backgroundEventsId,
  backgroundLeaseMs,
  backgroundOperations,
  backgroundPartIds,
  backgroundRequestId,
  backgroundStandingId,
  mostBackgroundLogs,
  mostBackgroundMakings,
} from './background-responses';
export type { BackgroundWorkRecord, TakenWork } from './background-responses';
export { invitation, invitationWay, member, memberOperations, type Invitation, type Member } from './members';
export { factorProof, secondFactorCode, secondFactorOperations, secondFactorState } from './second-factor';
export { passkey, passkeyName, passkeyOperations } from './passkeys';
export { newPasskey, passkeyAnswer, passkeyOptions, type NewPasskey, type PasskeyAnswer } from './webauthn';
export { directoryOperations, directoryRole, directoryUser, type DirectoryUser } from './directory';
