import { builtInProviders } from '@tollgate/providers';

/** Whom Tollgate is compared with, in the order of the columns. */
export const others = ['LiteLLM', 'Portkey', 'Bifrost', 'OpenRouter'] as const;

/**
 * What the public documentation of a product says, in our words, and where. Null: we did not find it there,
 * which does not mean that it is not so.
 */
type Finding = { says: string; source: string } | null;

/** `ours` may hold links, as a page of docs/ has them. */
export interface Row {
  what: string;
  ours: string;
  theirs: Record<(typeof others)[number], Finding>;
}

/** When the documentation of the others was read. */
export const readOn = '2026-11-27';

const litellm = (page: string) => `https://docs.litellm.ai/docs/${page}`;
const portkey = (page: string) => `https://portkey.ai/docs/${page}`;
const bifrost = (page: string) => `https://docs.getbifrost.ai/${page}`;
const openrouter = (page: string) => `https://openrouter.ai/docs/${page}`;
const openrouterFaq = openrouter('faq');

/** Where one or more of the others have what Tollgate has not, or less of. */
export const behind: readonly Row[] = [
  {
    what: 'providers',
    ours: `${builtInProviders.length} built in, and [any server that speaks a format of theirs](servers.md)`,
    theirs: {
      LiteLLM: { says: 'more than 100', source: 'https://pypi.org/project/litellm/1.88.0/' },
      Portkey: { says: 'more than 1,600 models', source: portkey('product/prompt-engineering-studio') },
      Bifrost: { says: 'more than 20', source: bifrost('overview') },
      OpenRouter: { says: 'all major models', source: openrouterFaq },
    },
  },
  {
    what: 'images, sound and video made, realtime, batches',
    ours: 'none of them: generations, conversations, embeddings, rerank and tokenize; pictures, sounds and files as input',
    theirs: {
      LiteLLM: { says: 'all of them', source: litellm('supported_endpoints') },
      Portkey: { says: 'images, speech', source: portkey('product/ai-gateway/multimodal-capabilities') },
      Bifrost: { says: 'images, sound', source: 'https://github.com/maximhq/bifrost' },
      OpenRouter: { says: 'images, sound, video', source: openrouter('guides/overview/multimodal/llms-full.txt') },
    },
  },
  {
    what: 'a gateway for MCP',
    ours: 'none; tools of MCP that a client brings work',
    theirs: {
      LiteLLM: { says: 'yes', source: litellm('supported_endpoints') },
      Portkey: { says: 'yes', source: portkey('product/mcp-gateway/mcp-hub') },
      Bifrost: { says: 'yes, with tools allowed by key', source: bifrost('overview') },
      OpenRouter: null,
    },
  },
  {
    what: 'a cache by meaning',
    ours: 'none: the same question only',
    theirs: {
      LiteLLM: { says: 'yes; it warns of it in conversations', source: litellm('proxy/caching_semantic') },
      Portkey: { says: 'yes', source: portkey('guides/getting-started/return-repeat-requests-from-cache') },
      Bifrost: { says: 'yes', source: bifrost('overview') },
      OpenRouter: null,
    },
  },
  {
    what: 'prompts kept with versions',
    ours: 'none',
    theirs: {
      LiteLLM: { says: 'yes, called experimental', source: litellm('proxy/litellm_prompt_management') },
      Portkey: { says: 'yes', source: portkey('product/prompt-engineering-studio') },
      Bifrost: { says: 'yes', source: bifrost('features/prompt-repository/playground') },
      OpenRouter: {
        says: 'system prompts, in presets',
        source: openrouter('api/api-reference/presets/list-versions-of-a-preset'),
      },
    },
  },
  {
    what: 'hosted by its makers',
    ours: 'no, and no contract of support; [0.1.0, not released yet](../CHANGELOG.md)',
    theirs: {
      LiteLLM: { says: 'yes', source: 'https://pypi.org/project/litellm/1.88.0/' },
      Portkey: { says: 'yes', source: portkey('introduction/what-is-portkey') },
      Bifrost: null,
      OpenRouter: { says: 'yes, and nothing else', source: openrouterFaq },
    },
  },
  {
    what: 'time added to a request, each as its makers measured it',
    ours: '1.66 ms at the median at 200 requests/s, two cores shared with load and provider, 2026-11-21; [the aim of 0.6 is not reached](performance.md)',
    theirs: {
      LiteLLM: {
        says: '8 ms at the 95th percentile at 1,000 requests/s',
        source: 'https://pypi.org/project/litellm/1.88.0/',
      },
      Portkey: { says: '20 to 40 ms, hosted', source: 'https://portkey.ai/docs' },
      Bifrost: { says: '11 µs at 5,000 requests/s', source: bifrost('overview') },
      OpenRouter: null,
    },
  },
];

/** Where Tollgate has what one or more of the others have not, or not in what is free. */
export const ahead: readonly Row[] = [
  {
    what: 'on machines of your own',
    ours: 'all of it, under the [Apache License](../LICENSE)',
    theirs: {
      LiteLLM: { says: 'yes; a license key opens the rest of it', source: litellm('enterprise/activate') },
      Portkey: {
        says: 'the gateway',
        source: 'https://www.mintlify.com/portkey-AI/gateway/deployment/overview',
      },
      Bifrost: { says: 'yes; several nodes as one: Enterprise', source: bifrost('deployment-guides/helm/cluster') },
      OpenRouter: { says: 'no', source: openrouterFaq },
    },
  },
  {
    what: 'what is charged beside the provider',
    ours: 'nothing',
    theirs: {
      LiteLLM: { says: 'its Enterprise features', source: litellm('enterprise/activate') },
      Portkey: {
        says: 'plans; 10,000 requests a month are free',
        source: 'https://raw.githubusercontent.com/Portkey-AI/docs-core/main/product/product-feature-comparison.mdx',
      },
      Bifrost: { says: 'its Enterprise features', source: bifrost('deployment-guides/helm/cluster') },
      OpenRouter: {
        says: '5.5 % of credit bought by card, $0.80 at least; 5 % of what own keys use beyond a million requests a month',
        source: openrouterFaq,
      },
    },
  },
  {
    what: 'sign-on by OpenID Connect',
    ours: '[yes, with groups and SCIM](roles.md)',
    theirs: {
      LiteLLM: { says: 'up to five people, then Enterprise', source: litellm('proxy/custom_sso') },
      Portkey: null,
      Bifrost: { says: 'Enterprise', source: bifrost('enterprise/advanced-governance') },
      OpenRouter: null,
    },
  },
  {
    what: 'an audit log',
    ours: '[yes](operate.md)',
    theirs: {
      LiteLLM: { says: 'Enterprise', source: litellm('proxy/multiple_admins') },
      Portkey: { says: 'Enterprise', source: portkey('product/enterprise-offering/access-control-management') },
      Bifrost: { says: 'Enterprise', source: bifrost('enterprise/advanced-governance') },
      OpenRouter: null,
    },
  },
  {
    what: 'a limit a minute over several instances',
    ours: '[never more in any 60 s](promises.md#1-never-more-than-l-requests-of-a-key-in-any-60-s-over-all-edges), also while Valkey, which they need, is away',
    theirs: {
      LiteLLM: { says: 'by Redis; without it each for itself', source: litellm('enterprise/moving_from_oss') },
      Portkey: {
        says: 'a rolling window; Enterprise, and Pro for some',
        source: portkey('product/ai-gateway/virtual-keys/rate-limits'),
      },
      Bifrost: {
        says: 'Enterprise; else each for itself, with the database in common',
        source: bifrost('deployment-guides/helm/cluster'),
      },
      OpenRouter: null,
    },
  },
  {
    what: 'settings of the others brought over by a command',
    ours: '[from all four](come-over.md)',
    theirs: { LiteLLM: null, Portkey: null, Bifrost: null, OpenRouter: null },
  },
];
