import { GatewayError } from '@tollgate/contracts';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';
import type { ProviderCodec, Support } from './codec';
import { featureDetectors, features, type Feature } from './features';
import { withFewMarks } from './few-marks';
import type { CanonicalRequest } from './generation-request';
import { toNamedEffort } from './reasoning-effort';
import { withoutFeature } from './remove-feature';
import { takesSampling } from './takes-sampling';

/** A request as far as a provider can serve it, and what the caller must be told. */
export interface FittedRequest {
  request: CanonicalRequest;
  warnings: string[];
}

/** More paths than this in one warning help nobody. */
const maxPathsTold = 10;

/**
 * Takes out of a request what the provider's dialect or the model cannot take, with a warning for each, so
 * that nothing is lost in silence.
 * `most`: the most output tokens that there can be; null: not known.
 * @throws GatewayError 400 for a feature that cannot be left out without changing what was asked.
 */
export function fitRequest(
  asked: CanonicalRequest,
  provider: ProviderCodec,
  target: UpstreamTarget,
  most = target.model.maxOutputTokens,
): FittedRequest {
  const warnings = [...(asked.lost ?? [])];
  let request = withoutRepeatedTools(asked, warnings);
  for (const feature of features) {
    if (!featureDetectors[feature](request)) continue;
    const support = supportOf(feature, request, provider, target);
    if (support === 'mapped' || ownServersTake(target, provider)?.features.includes(feature)) continue;
    if ('refused' in support && feature === 'web search' && request.webSearch?.isDispensable) {
      request = withoutFeature(request, feature);
      warnings.push(`${feature} was dropped: ${support.refused}`);
      continue;
    }
    if ('refused' in support)
      throw new GatewayError(400, `${feature} is not possible with ${target.model.id}: ${support.refused}.`);
    request = withoutFeature(request, feature);
    warnings.push(`${feature} was dropped: ${support.dropped}`);
  }
  request = withFewMarks(withinLimit(request, most, warnings), warnings);
  warnings.push(...unreadWarnings(request));
  return { request: withTakenExtra(request, provider, target, warnings), warnings };
}

/**
 * A tool that is given twice, alike, as two servers of MCP or two settings of a client do: OpenAI takes it,
 * Anthropic and Google refuse all of the request. https://github.com/anthropics/claude-code/issues/10687
 * https://github.com/ai-dashboad/flutter-skill/issues/32
 */
function withoutRepeatedTools(request: CanonicalRequest, warnings: string[]): CanonicalRequest {
  const { tools } = request;
  if (!tools || new Set(tools.map(({ name }) => name)).size === tools.length) return request;
  const written = new Set<string>();
  const once = tools.filter((tool) => {
    const text = JSON.stringify(tool);
    if (written.has(text)) warnings.push(`the tool ${tool.name} was given twice, alike: once is enough`);
    return written.size < written.add(text).size;
  });
  return { ...request, tools: once };
}

/** A limit of the output above what the model can write, which providers refuse, is the most that it can. */
function withinLimit(request: CanonicalRequest, most: number | null, warnings: string[]): CanonicalRequest {
  const { maxOutputTokens: asked } = request;
  if (asked === undefined || most === null || asked <= most) return request;
  warnings.push(outputLimitWarning(asked, most));
  return { ...request, maxOutputTokens: most };
}

/** What a caller reads of a limit of the output that was lowered. */
export function outputLimitWarning(asked: number, most: number): string {
  return `the output limit of ${asked} tokens became ${most}: this model writes no more`;
}

/** Support by the dialect, as far as the provider and the model keep up with it. */
function supportOf(
  feature: Feature,
  request: CanonicalRequest,
  provider: ProviderCodec,
  target: UpstreamTarget,
): Support {
  const hosted = hostedTools[feature];
  if (hosted && provider.support[feature] === 'mapped' && !holdsFor(target.provider.quirks[hosted.quirk], target))
    return { refused: `${target.provider.name} has ${hosted.name} of its own for this model` };
  const takesMarks = provider.name === 'openai-chat' && holdsFor(target.provider.quirks.cacheMarks, target);
  if (feature === 'cache control' && takesMarks) return 'mapped';
  const support = provider.support[feature];
  if (!samplings.includes(feature) || support !== 'mapped' || isSampled(request, provider, target)) return support;
  return { dropped: 'the model does not take it' };
}

const samplings: readonly Feature[] = ['temperature', 'top p', 'top k'];

/** Tools that a provider runs itself, for the models that its data names. */
const hostedTools: Partial<Record<Feature, { quirk: 'webSearch' | 'codeExecution'; name: string }>> = {
  'web search': { quirk: 'webSearch', name: 'no search' },
  'code execution': { quirk: 'codeExecution', name: 'no machine' },
};

/** Not by default only, as models that reason are. */
function isSampled({ reasoning }: CanonicalRequest, { name }: ProviderCodec, target: UpstreamTarget): boolean {
  if (name !== 'openai-chat' && name !== 'openai-responses') return target.model.capabilities.temperature;
  return takesSampling(target, reasoning && toNamedEffort(reasoning, target, [], name));
}

function ownServersTake({ provider: { operatorDefined } }: UpstreamTarget, provider: ProviderCodec) {
  return operatorDefined ? provider.ownServersTake : undefined;
}

function unreadWarnings({ unread }: CanonicalRequest): string[] {
  const ofDocuments = unread.filter((path) => path.endsWith('.citations'));
  const others = unread.filter((path) => !ofDocuments.includes(path));
  return [...droppedWarning(ofDocuments, uncited), ...droppedWarning(others, 'not known')];
}

/**
 * A document is cited by its place in it, which no other dialect can ask for and show.
 * https://platform.claude.com/docs/en/build-with-claude/citations
 */
const uncited = "documents are cited only in Anthropic's messages, by a model that is served in them";

/** What is told of these paths; nothing where there are none. */
function droppedWarning(paths: readonly string[], reason: string): string[] {
  if (paths.length === 0) return [];
  const told = paths.slice(0, maxPathsTold).join(', ');
  const more = paths.length > maxPathsTold ? ` and ${paths.length - maxPathsTold} more` : '';
  return [`${told}${more} ${paths.length === 1 ? 'was' : 'were'} dropped: ${reason}`];
}

function withTakenExtra(
  request: CanonicalRequest,
  provider: ProviderCodec,
  target: UpstreamTarget,
  warnings: string[],
): CanonicalRequest {
  const { extra, ...rest } = request;
  if (!extra) return request;
  const taken: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(extra)) {
    const isTaken =
      provider.takesExtra(request.surface, name) || ownServersTake(target, provider)?.fields.includes(name);
    if (isTaken) taken[name] = value;
    else warnings.push(`${name} was dropped: ${target.provider.name} does not take it`);
  }
  return Object.keys(taken).length > 0 ? { ...rest, extra: taken } : rest;
}
