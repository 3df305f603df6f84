import administration from './guides/administration.md?raw';
import clients from './guides/clients.md?raw';
import codingAgents from './guides/coding-agents.md?raw';
import cost from './guides/cost.md?raw';
import errors from './guides/errors.md?raw';
import formats from './guides/formats.md?raw';
import limits from './guides/limits.md?raw';
import quickStart from './guides/quick-start.md?raw';
import streaming from './guides/streaming.md?raw';
import type { Guide } from './guide-text';

/** In the order in which they are read. The first is what /docs shows. */
export const guides: readonly Guide[] = [
  { path: 'quick-start', text: quickStart },
  { path: 'clients', text: clients },
  { path: 'coding-agents', text: codingAgents },
  { path: 'streaming', text: streaming },
  { path: 'formats', text: formats },
  { path: 'errors', text: errors },
  { path: 'limits', text: limits },
  { path: 'cost', text: cost },
  { path: 'administration', text: administration },
];
