export { builtInProviders } from './registry';
export { serverPresets, type ServerPreset } from './server-presets';
