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
export { catalogOperations, settingsOperations, type SettingsChange, type SettingsEntry } from './catalog-operations';
export { guardrailActions, personalDataKinds, guardrail } from './guardrails';
export type { PersonalDataKind, GuardrailAction, Guardrail } from './guardrails';
export { incidentOperations, mostIncidents, type Incident } from './incidents';
export {
  aboutProviderKey,
  liveProviderOperations,
  providerKey,
  providerKeyName,
  sealingOperations,
  type LiveProvider,
  type SealingKey,
} from './live-providers';
export { isMatch, isModelAllowed } from './model-access';
export { formsOf, ModelIndex, type OwnKeys } from './model-index';
export { nearestModels, newestModels } from './nearest-models';
export { neededVariables } from './needed-variables';
export { planOperations } from './plans';
export { priceDoubt, type PriceDoubt } from './price-doubt';
export { hoursAt, hoursInWords, priceHours, type PriceHours } from './price-hours';
export { priceOperations, rateChange, type RateChange } from './price-import';
export {
  priceSheet,
  priceChange,
  type PriceChange,
  type PriceSheet,
  type PriceTerm,
  type PriceTerms,
  rateNames,
  statedPriceSheet,
} from './price-sheet';
export { retirement, isRetired, endsSoon, toldFrom, retiredName } from './retirement';
export type { Retirement, RetiredName } from './retirement';
export { largeMarkup, setFactorOperations, type SetFactors, type ToldFactors } from './set-factors';
export { setGuardrailOperations, type SetGuardrail } from './set-guardrails';
export { setModelOperations, statedDeployment, statedModel, type SetModel, type StatedModel } from './set-models';
export { clockBoundMs, setPriceOperations, type SetPrice, type ToldPrice } from './set-prices';
export { timeLimits, type TimeLimits } from './time-limits';
export { hasSameContent, type LeftOut, type ToldSnapshot } from './told-snapshot';
export { unlistedModel } from './unlisted-model';
