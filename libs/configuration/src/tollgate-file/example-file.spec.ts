import { contentLogRules } from '@tollgate/contracts/metering';
import { join } from 'node:path';

import { guardrailFields } from './guardrail-entry';
import { loadTollgateFile } from './load-tollgate-file';
import { modelEntry } from './model-entry';
import { providerEntry } from './provider-entry';

const example = loadTollgateFile(join(__dirname, '../../../../docs/tollgate.example.yaml'));

describe('docs/tollgate.example.yaml', () => {
  it('loads', () => {
    expect(Object.keys(example.plans)).toEqual(['beta', 'pro', 'enterprise', 'team']);
  });

  it('shows every field of a provider, of a model, of a guardrail and of the content log', () => {
    expect(Object.keys(example.contentLog ?? {}).sort()).toEqual(Object.keys(contentLogRules.shape).sort());
    expect(new Set(example.providers.flatMap(Object.keys))).toEqual(new Set(Object.keys(providerEntry.shape)));
    expect(new Set(example.guardrails.flatMap(Object.keys))).toEqual(new Set(Object.keys(guardrailFields.shape)));
    expect(new Set(example.models.flatMap(Object.keys))).toEqual(new Set(Object.keys(modelEntry.shape)));
  });
});
