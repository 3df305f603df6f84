import { GatewayError } from '@tollgate/contracts';
import { unlistedModel } from '@tollgate/contracts/catalog';
import { model } from '../testing/catalog-fixture';
import { checkNeeds } from './model-needs';

const plain = model('acme/plain', {
  inputModalities: ['text'],
  capabilities: {
    streaming: true,
    tools: false,
    vision: false,
    reasoning: false,
    structuredOutput: false,
    temperature: true,
  },
});
const able = model('acme/able', { inputModalities: ['text', 'image', 'pdf', 'audio'] });

describe('what a model must be able to do', () => {
  it.each(['tools', 'images', 'files', 'audio', 'structured output'] as const)(
    'is checked for %s: a 400 that names the model and where to look, before any provider is asked',
    (need) => {
      expect(() => checkNeeds(plain, [need])).toThrow(
        new GatewayError(
          400,
          `The model acme/plain does not take ${need}: GET /v1/models tells what each model can do.`,
        ),
      );
      expect(() => checkNeeds(able, [need])).not.toThrow();
    },
  );

  it('is for the provider to say where nothing is known of a model', () => {
    const unknown = unlistedModel([{ id: 'acme', unlisted: true }], 'acme/newer');
    expect(
      () => unknown && checkNeeds(unknown, ['tools', 'images', 'files', 'audio', 'structured output']),
    ).not.toThrow();
    expect(unknown).not.toBeNull();
  });

  it('is nothing for plain text', () => {
    expect(() => checkNeeds(plain, [])).not.toThrow();
  });
});
