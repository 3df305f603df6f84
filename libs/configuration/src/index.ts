export { EnvironmentError, readEnvironment } from './environment';
export { settingFaults } from './services/setting-faults';
export { serviceVariables, type ConfiguredService } from './services/service-variables';
export { natsCredentials } from './nats-credentials';
export { loadTollgateFile, parseTollgateFile, type TollgateFile } from './tollgate-file/load-tollgate-file';
export { modelEntry, type ModelEntry } from './tollgate-file/model-entry';
export { type PlanLimits } from './tollgate-file/plan-limits';
export { TollgateFileError } from './tollgate-file/tollgate-file-error';
export { nearestName } from './tollgate-file/nearest-name';
