import type { ListedModel } from '../api/catalog';
import { searchModels } from './model-search';

const model = (id: string, changes: Partial<ListedModel> = {}): ListedModel => ({
  id,
  name: id,
  provider: id.split('/')[0] ?? '',
  providerName: 'Some Provider',
  kind: 'text',
  status: 'active',
  contextWindow: null,
  maxOutputTokens: null,
  inputModalities: ['text'],
  outputModalities: ['text'],
  capabilities: {},
  pricing: null,
  available: true,
  simulated: false,
  ...changes,
});
const models = [
  model('openai/gpt-5.4-mini', { capabilities: { tools: true, structuredOutput: true } }),
  model('anthropic/claude-sonnet-5', { capabilities: { vision: true } }),
  model('openai/embed', { kind: 'embedding', available: false }),
];
const everything = { words: '', provider: '', capability: '', onlyAvailable: false };

it.each([
  [{}, ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-5', 'openai/embed']],
  [{ words: 'mini GPT' }, ['openai/gpt-5.4-mini']],
  [{ words: 'some provider', provider: 'anthropic' }, ['anthropic/claude-sonnet-5']],
  [{ capability: 'vision' }, ['anthropic/claude-sonnet-5']],
  [{ capability: 'structured' }, ['openai/gpt-5.4-mini']],
  [{ capability: 'embedding' }, ['openai/embed']],
  [{ capability: 'embedding', onlyAvailable: true }, []],
])('%j', (wanted, ids) => expect(searchModels(models, { ...everything, ...wanted }).map(({ id }) => id)).toEqual(ids));
