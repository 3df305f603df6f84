export { EnvironmentError, readEnvironment } from './environment';
export { loadTollgateFile, parseTollgateFile, type TollgateFile } from './tollgate-file/load-tollgate-file';
export { modelEntry, type DeploymentEntry, type ModelEntry } from './tollgate-file/model-entry';
export { type PlanLimits } from './tollgate-file/plan-limits';
export { type ProviderEntry } from './tollgate-file/provider-entry';
export { TollgateFileError } from './tollgate-file/tollgate-file-error';
export { nearestName } from './tollgate-file/nearest-name';
