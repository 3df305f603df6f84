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
  ofRefusal,
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
export { conversationLeaseMs, conversationMs, conversationOperations, mostConversationItems } from './conversations';
export type { ItemPart } from './conversations';
export { certainDrift, driftOfModels, type OwnSide } from './drift';
export { guardrailOperations, guardrailSides, guardrailTrial, mostGuardrailFindings } from './guardrail-findings';
export type { FoundInHour, GuardrailCount, GuardrailSide } from './guardrail-findings';
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
export {
  longestRefusalMessage,
  mostRefusalCauses,
  namedRefusal,
  refusalOperations,
  type NamedRefusal,
  type RefusalCause,
  type RefusedInMinute,
} from './refusals';
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
export { mostStatementModels, otherModels, statement, statementMonth, statementOperations } from './statement';
export type { Statement, StatementLine, StatementSum } from './statement';
export { longestChainMs, storedResponseMs, storedResponseOperations } from './stored-responses';
export type { ReadPart, ReadTurn, TurnPart } from './stored-responses';
