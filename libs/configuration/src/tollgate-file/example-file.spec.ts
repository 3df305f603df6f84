import { join } from 'node:path';
import { loadTollgateFile } from './load-tollgate-file';
import { modelEntry } from './model-entry';
import { providerEntry } from './provider-entry';

const example = loadTollgateFile(join(__dirname, '../../../../docs/tollgate.example.yaml'));

describe('docs/tollgate.example.yaml', () => {
  it('loads', () => {
    expect(Object.keys(example.plans)).toEqual(['beta', 'pro', 'enterprise']);
  });

  it('shows every field of a provider and of a model', () => {
    expect(new Set(example.providers.flatMap(Object.keys))).toEqual(new Set(Object.keys(providerEntry.shape)));
    expect(new Set(example.models.flatMap(Object.keys))).toEqual(new Set(Object.keys(modelEntry.shape)));
  });
});
