import { GatewayError } from '@tollgate/contracts';
import { holdsFor, knowsFreeText } from '../provider-dialect';
import type { PreparedAttempt, Translation, UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { parseRequestJson } from '../wire/request-json';
import { isRecord } from '../wire/json-value';
import type { ProviderCodec, SurfaceCodec } from './codec';
import { toolNamesIn } from './tool-names';
import {
  choosesAmongSome,
  holdsCallOf,
  holdsToolsOfOpenai,
  offersFlatTool,
  offersUnion,
  toolTypesIn,
} from './tools-elsewhere';
import type { ToolNameRule } from './tool-names';
import { translate } from './translate';

const quote = 0x22;
const colon = 0x3a;
const space = 0x20;
const member = Buffer.from('"name"');
const toolList = '"tools"';
const customTool = '"custom"';
const allowedTools = '"allowed_tools"';
/** So many names are looked at in one request: nobody else is served meanwhile. */
const mostNames = 10_000;

/**
 * A translation that passes bytes, but for requests with tools that the provider would refuse, for their
 * names, because they take free text or for the way in which they are chosen, or with calls of such tools:
 * those are read into the canonical form and written anew, as for any provider of another dialect.
 * Servers of an operator's own take names of any kind, and get them.
 */
export function withLegalTools(passing: Translation, surface: SurfaceCodec, provider: ProviderCodec): Translation {
  const { toolNames: rule } = provider;
  if (!rule) return passing;
  const rewriting = translate(surface, provider);
  return {
    ...passing,
    prepare: (body, target, options) => {
      const isOtherName = () =>
        !target.provider.operatorDefined && mayHoldOtherNames(body, rule) && holdsOtherNames(body, surface, rule);
      const isOther = () => holdsReservedNames(body, surface, target) || holdsUnionRoots(body, target);
      const wants = isOtherName() || isUnknown[surface.name]?.(body, target) === true || isOther();
      const rewritten = wants ? attempted(() => rewriting.prepare(body, target, options)) : null;
      return rewritten ?? passing.prepare(body, target, options);
    },
  };
}

/** Whether a request offers a tool of a name that the provider keeps for itself, or tells of its calls. */
function holdsReservedNames(body: Uint8Array, surface: SurfaceCodec, { provider }: UpstreamTarget): boolean {
  const told = provider.quirks.reservedTools.filter((name) => holdsText(asBuffer(body), JSON.stringify(name)));
  return told.length > 0 && namesOf(body, surface).some((name) => told.includes(name));
}

/** Whether the schema of a tool is one of alternatives, which the provider does not take. */
function holdsUnionRoots(body: Uint8Array, { provider }: UpstreamTarget): boolean {
  const isTold = () => ['"anyOf"', '"oneOf"'].some((union) => holdsText(asBuffer(body), union));
  return provider.quirks.plainToolRoots && isTold() && offersUnion(body);
}

/** Whether a request offers tools, or tells of them, in a form that the model's provider does not know. */
const isUnknown: Partial<Record<SurfaceCodec['name'], (body: Uint8Array, target: UpstreamTarget) => boolean>> = {
  'openai-chat': (body, target) => holdsUnknownTools(body, target) || holdsUnknownChoice(body, target),
  'openai-responses': (body, target) => !knowsFreeText(target) && holdsToolsOfOpenai(body),
};

/**
 * Whether chat completions offer a tool of free text, or tell of its calls, to a model that knows functions
 * alone, or in a form that no model knows.
 * https://github.com/vm0-ai/vm0/issues/28274 https://github.com/microsoft/foundry-local/issues/1080
 */
function holdsUnknownTools(body: Uint8Array, target: UpstreamTarget): boolean {
  if (!holdsText(asBuffer(body), customTool)) return false;
  if (holdsFor(target.provider.quirks.customTools, target)) return offersFlatTool(body);
  return toolTypesIn(body).includes('custom') || holdsCallOf('custom', body);
}

/**
 * Whether chat completions may call some of their tools only, which providers other than OpenAI cannot be
 * told. Agent frameworks ask for it: https://github.com/pydantic/pydantic-ai/pull/3611
 * https://github.com/microsoft/agent-framework/pull/5322
 */
function holdsUnknownChoice(body: Uint8Array, { provider }: UpstreamTarget): boolean {
  return provider.quirks.customTools === null && holdsText(asBuffer(body), allowedTools) && choosesAmongSome(body);
}

/** What cannot be said in the canonical form goes as it came, and the provider says what it thinks of it. */
function attempted(prepare: () => PreparedAttempt): PreparedAttempt | null {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return null;
    throw error;
  }
}

/** Whether any text that is called a name is none of a tool by this rule, at a glance. */
function mayHoldOtherNames(body: Uint8Array, { longest }: ToolNameRule): boolean {
  const bytes = asBuffer(body);
  if (!holdsText(bytes, toolList)) return false;
  let at = bytes.indexOf(member);
  for (let seen = 0; at >= 0 && seen < mostNames; seen++) {
    let from = at + member.length;
    while (bytes[from] === space) from++;
    if (bytes[from] === colon) from++;
    while (bytes[from] === space) from++;
    if (bytes[from] === quote && !isPlain(bytes, from + 1, longest)) return true;
    at = bytes.indexOf(member, from);
  }
  return false;
}

function isPlain(bytes: Buffer, from: number, longest: number): boolean {
  for (let at = from; at <= from + longest; at++) {
    const byte = bytes[at] ?? quote;
    if (byte === quote) return at > from;
    const isWord = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x39);
    if (!isWord && byte !== 0x5f && byte !== 0x2d) return false;
  }
  return false;
}

function holdsOtherNames(body: Uint8Array, surface: SurfaceCodec, rule: ToolNameRule): boolean {
  // Names that are put together of several (of a namespace and a tool) are only those of the canonical form.
  const isTold = (name: string) => holdsText(asBuffer(body), JSON.stringify(name));
  return namesOf(body, surface).some((name) => !rule.legal.test(name) && isTold(name));
}

/** The names of the tools of a request; none of one that the canonical form cannot say. */
function namesOf(body: Uint8Array, surface: SurfaceCodec): string[] {
  const parsed = parseRequestJson(body);
  if (!isRecord(parsed)) return [];
  try {
    return [...toolNamesIn(surface.fromRequest(parsed))];
  } catch (error) {
    if (error instanceof GatewayError) return [];
    throw error;
  }
}
