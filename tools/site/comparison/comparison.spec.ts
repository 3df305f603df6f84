import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellsIn } from '../../prove/write-page';
import { workspaceRoot } from '../../stack/workspace-root';
import { comparisonPage } from './comparison-page';
import { ahead, behind, others } from './rows';

/** Where each product speaks for itself, or is held: no word of a third about it. */
const ownPlaces: Record<(typeof others)[number], RegExp> = {
  LiteLLM: /^https:\/\/(docs\.litellm\.ai|pypi\.org\/project\/litellm)\//,
  Portkey: /^https:\/\/(portkey\.ai|www\.mintlify\.com\/portkey-AI|raw\.githubusercontent\.com\/Portkey-AI)\//,
  Bifrost: /^https:\/\/(docs\.getbifrost\.ai|github\.com\/maximhq\/bifrost)/,
  OpenRouter: /^https:\/\/openrouter\.ai\//,
};

const words = (text: string) => text.replaceAll(/[\s|-]+/g, ' ');

it('is the page that its source makes: `npm run site -- --comparison` writes it', () => {
  const page = readFileSync(join(workspaceRoot, 'docs/compare.md'), 'utf8');
  const made = comparisonPage();
  const cells = (text: string) => cellsIn(text).filter(([first]) => !/^-+$/.test(first ?? ''));
  expect(cells(page)).toEqual(cells(made));
  expect(words(page)).toBe(words(made));
});

it.each([...behind, ...ahead])('has a place for what it says of others: $what', ({ theirs }) => {
  const wrong = others.filter((other) => theirs[other] && !ownPlaces[other].test(theirs[other].source));
  expect(wrong).toEqual([]);
});
