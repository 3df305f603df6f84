export { builtInProviders } from './registry';
