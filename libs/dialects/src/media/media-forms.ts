import type { GenerationSurface } from '@tollgate/contracts';
import type { MediaNeed } from '../surface-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isObject, itemsOf, membersNamed, textIn } from '../wire/json-walk';
import { chatTurnKind, itemTurnKind, messagesTurnKind } from './asked-turn';
import type { TurnKind } from './asked-turn';

/** Where pictures, files and recordings stand in a body of one surface, as JSON text. */
export interface MediaForm {
  /** The member of a body that holds the conversation. */
  readonly turns: 'messages' | 'input';
  /** The members of a turn, and of a part, that may hold lists of parts. */
  readonly lists: readonly string[];
  /** The types of parts for each; one that is no such part after all is left alone by `needOf`. */
  readonly types: Readonly<Record<MediaNeed, readonly string[]>>;
  kindOf(turn: Uint8Array): TurnKind;
  /** Null: it is none. */
  needOf(part: Uint8Array): MediaNeed | null;
  /** The type of a text that takes the place of a part of this turn. */
  textType(turn: Uint8Array): string;
}

const chatTypes = { images: ['image_url'], files: ['file'], audio: ['input_audio'] };
const itemTypes = { images: ['input_image'], files: ['input_file'], audio: ['input_audio'] };
const blockTypes = { images: ['image'], files: ['document'], audio: [] };

export const mediaForms: Readonly<Record<GenerationSurface, MediaForm>> = {
  'openai-chat': {
    turns: 'messages',
    lists: ['content'],
    types: chatTypes,
    kindOf: (message) => chatTurnKind(textIn(message, 'role')),
    needOf: (part) => needOfType(part, chatTypes),
    textType: () => 'text',
  },
  'anthropic-messages': {
    turns: 'messages',
    lists: ['content', 'source'],
    types: blockTypes,
    kindOf: (message) => messagesTurnKind(textIn(message, 'role'), () => holdsResults(message)),
    needOf: needOfBlock,
    textType: () => 'text',
  },
  'openai-responses': {
    turns: 'input',
    lists: ['content', 'output'],
    types: itemTypes,
    kindOf: (item) => itemTurnKind(textIn(item, 'type') ?? undefined, textIn(item, 'role')),
    needOf: (part) => needOfType(part, itemTypes),
    textType: (item) => (textIn(item, 'role') === 'assistant' ? 'output_text' : 'input_text'),
  },
};

function needOfType(part: Uint8Array, types: MediaForm['types']): MediaNeed | null {
  const type = textIn(part, 'type');
  if (type === null) return null;
  if (types.images.includes(type)) return 'images';
  if (types.files.includes(type)) return 'files';
  return types.audio.includes(type) ? 'audio' : null;
}

/** A document of text, or of blocks, is none. */
function needOfBlock(block: Uint8Array): MediaNeed | null {
  const need = needOfType(block, blockTypes);
  if (need !== 'files') return need;
  const source = textIn(membersNamed(block, ['source']).get('source'), 'type');
  return source === 'text' || source === 'content' ? null : need;
}

function holdsResults(message: Uint8Array): boolean {
  if (!isObject(message) || !holdsText(asBuffer(message), '"tool_result"')) return false;
  for (const block of itemsOf(membersNamed(message, ['content']).get('content')))
    if (textIn(block, 'type') === 'tool_result') return true;
  return false;
}
