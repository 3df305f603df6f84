import type { SurfaceCodec } from '../canonical/codec';
import { providerCodecs, surfaceCodecs } from '../translations';
import { attempt } from './attempt.fixture';
import type { Case } from './case.fixture';
import { cases } from './cases.fixture';

const head = `# What becomes of a request

This page is made by the tests (\`UPDATE_GOLDENS=1 npx nx test dialects\`): every line is what was observed when the case was sent the whole way.
Rows are things a caller may ask for, columns the dialect of the provider that serves the model.

- **yes**: the provider is told. Where both sides speak one dialect (**as is**), the request's own bytes pass, with what the gateway does not know. Only what callers name themselves (\`user\`, \`safety_identifier\`, \`prompt_cache_key\`) becomes its digest there, too, where it has more characters than OpenAI or Azure takes, which is told.
- **told** and a number: the provider is told as far as it can be, and the caller reads the rest in \`x-gateway-warnings\`.
- **400** and a number: the request is refused, because leaving the thing out would change what was asked for.

Models differ within a dialect. These are models that take what their dialect has; a model that takes less says so in the same two ways. Where it takes no pictures, PDFs or recordings, those of earlier turns and of tools become words, which is told, and are a 400 in the user's new question ([clients.md](clients.md#pictures-at-models-that-do-not-see)).
`;

/** docs/dialects.md: one table for each surface, from what was observed. */
export function dialectTable(): string {
  return [head, ...surfaceCodecs.map(tableOf)].join('\n');
}

function tableOf(surface: SurfaceCodec): string {
  const notes: string[] = [];
  const rows = cases.map((each) => [each.name, ...outcomes(surface, each, notes)]);
  const unsaid = cases.flatMap(({ name, bodies }) => {
    const body = bodies[surface.name];
    return typeof body === 'string' ? [`- ${name}: ${surface.name} ${body}.`] : [];
  });
  return [
    `## Callers of ${surface.name}\n`,
    row(['', ...providerCodecs.map(({ name }) => name)]),
    row(['---', ...providerCodecs.map(() => '---')]),
    ...rows.filter((cells) => cells.length > 1).map(row),
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    '',
    `What this surface cannot say:\n\n${unsaid.join('\n')}\n`,
  ].join('\n');
}

/** One cell for each provider; none when the surface cannot say it. */
function outcomes(surface: SurfaceCodec, { bodies }: Case, notes: string[]): string[] {
  const body = bodies[surface.name];
  if (typeof body === 'string') return [];
  return providerCodecs.map((provider) => {
    if (provider.name === surface.name) return 'as is';
    const { refusal, warnings } = attempt(surface, provider, body);
    if (refusal !== null) return `400 ${noteOf(refusal, notes)}`;
    return warnings.length === 0 ? 'yes' : `told ${warnings.map((warning) => noteOf(warning, notes)).join(', ')}`;
  });
}

/** The number of a reason, the same for the same words. */
function noteOf(text: string, notes: string[]): number {
  const known = notes.indexOf(text);
  return known >= 0 ? known + 1 : notes.push(text);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
