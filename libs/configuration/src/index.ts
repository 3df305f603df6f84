export { EnvironmentError, readEnvironment } from './environment';
