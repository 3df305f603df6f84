export {
  deploymentHealth,
  deploymentHold,
  healthReport,
  healthSubjects,
  providerKeyRest,
  whyKeyRests,
} from './deployment-health';
export type { DeploymentHealth, DeploymentHold, HealthReport, ProviderKeyRest } from './deployment-health';
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
export {
  inferenceAnnouncement,
  listedByProvider,
  type InferenceAnnouncement,
  type ListedByProvider,
} from './inference-announcement';
export { inferenceOperations, modelLook, providerCheck, providerOperations, type ModelLook } from './provider-check';
export type { ProviderCheck } from './provider-check';
