import { useEffect, useRef, useState } from 'react';
import { z } from 'zod/mini';
import type { ListedModel } from '../api/catalog';
import { useSearch } from '../app/use-search';
import { preferredModel } from '../models/preferred-model';
import { useStored } from '../session/stored';
import { conversationsShape, withConversation } from './kept-conversations';
import type { KeptConversation } from './kept-conversations';
import { noSetup } from './request-body';
import type { Setup } from './request-body';
import type { Turn, UserTurn } from './turns';
import { useConversation } from './use-conversation';

/** The parameters of the address that name the models, side by side. */
const names = ['model', 'second', 'third', 'fourth'] as const;

export const mostColumns = names.length;

const none: KeptConversation[] = [];

interface Kept {
  conversations: KeptConversation[];
  /** Null: all of them. */
  forget: (id: string | null) => void;
}

const text = z.string();
const nothingSaid: UserTurn = { kind: 'user', text: '', images: [] };
const newId = () => `${Date.now()}`;

/**
 * What is said in the playground, with each model, and what can be done with it. `draft`: what the composer
 * begins with; another `id` puts another one into it.
 */
export function usePlayground(keyId: string, models: readonly ListedModel[]) {
  const [setup, setSetup] = useState<Setup>(noSetup);
  const [id, setId] = useState(newId);
  const [draft, setDraft] = useState({ id: 0, turn: nothingSaid });
  const [lastModel, setLastModel] = useStored('model', text, '');
  const isKnown = (model: string) => models.some((one) => one.id === model);
  const [columns, choose] = useColumns(isKnown, preferredModel(models, lastModel) ?? '');
  // As many as there can be: hooks are called alike each time.
  const all = [
    useConversation(keyId, columns[0] ?? '', setup),
    useConversation(keyId, columns[1] ?? '', setup),
    useConversation(keyId, columns[2] ?? '', setup),
    useConversation(keyId, columns[3] ?? '', setup),
  ];
  const panes = columns.flatMap((model, place) => {
    const conversation = all[place];
    return conversation ? [{ model, conversation }] : [];
  });
  const running = panes.some(({ conversation }) => conversation.running);
  const said = panes.map(({ model, conversation }) => ({ model, turns: conversation.turns }));
  const kept = useKept({ id, setup, columns: said }, running);

  const write = (turn: UserTurn) => setDraft((before) => ({ id: before.id + 1, turn }));
  const say = (turns: readonly (Turn[] | undefined)[]) =>
    all.forEach(({ replace }, place) => replace(turns[place] ?? []));
  return {
    ...{ setup, setSetup, draft, columns, choose, panes, running, kept },
    isSaid: said.some(({ turns }) => turns.length > 0),
    send: (turn: UserTurn) => {
      setLastModel(() => columns[0] ?? '');
      for (const { conversation } of panes) conversation.send(turn);
    },
    stop: () => panes.forEach(({ conversation }) => conversation.stop()),
    begin: () => {
      setId(newId());
      say([]);
    },
    /** Goes on with what was said before. */
    goOn: (conversation: KeptConversation) => {
      setId(conversation.id);
      setSetup(conversation.setup);
      say(conversation.columns.map(({ turns }) => turns));
      const known = conversation.columns.map(({ model }) => model).filter(isKnown);
      if (known.length > 0) choose(known);
    },
    /** Begins with a request that was asked before; its question waits in the composer. */
    replay: (asked: { setup: Setup; turns: Turn[]; question: UserTurn | null; model: string }) => {
      setId(newId());
      setSetup(asked.setup);
      say([asked.turns]);
      write(asked.question ?? nothingSaid);
      choose([isKnown(asked.model) ? asked.model : (columns[0] ?? '')], 'replace');
    },
    /** Takes a question back into the composer; what followed it goes, in every column. */
    edit: (place: number, turn: UserTurn) => {
      say(panes.map(({ conversation }) => conversation.turns.slice(0, place)));
      write(turn);
    },
    add: () => {
      const others = models.filter((one) => !columns.includes(one.id));
      choose([...columns, preferredModel(others) ?? columns[0] ?? '']);
    },
    /** Takes a model away; what was said with the others moves with them. */
    leave: (place: number) => {
      const staying = panes.filter((_, other) => other !== place);
      say(staying.map(({ conversation }) => conversation.turns));
      choose(staying.map(({ model }) => model));
    },
  };
}

/**
 * The conversations that this browser keeps: this one, too, as often as nothing of it is under way any more.
 */
function useKept(conversation: Omit<KeptConversation, 'at'>, running: boolean): Kept {
  const [conversations, change] = useStored('conversations', conversationsShape, none);
  const latest = useRef(conversation);
  useEffect(() => {
    latest.current = conversation;
  });
  const isAnswered = conversation.columns.some(({ turns }) => turns.some(({ kind }) => kind === 'assistant'));
  useEffect(() => {
    if (!running && isAnswered) change((before) => withConversation(before, { ...latest.current, at: Date.now() }));
  }, [running, isAnswered, change]);
  return {
    conversations,
    forget: (id) => change((before) => (id === null ? [] : before.filter((one) => one.id !== id))),
  };
}

/** The models that are asked, as the address says: at least one, each known to `isKnown`. */
function useColumns(
  isKnown: (id: string) => boolean,
  otherwise: string,
): [string[], (models: readonly string[], step?: 'push' | 'replace') => void] {
  const [search, change] = useSearch();
  const named = names.flatMap((name) => {
    const id = search.get(name);
    return id !== null && isKnown(id) ? [id] : [];
  });
  const choose = (models: readonly string[], step?: 'push' | 'replace') =>
    change({ replay: null, ...Object.fromEntries(names.map((name, place) => [name, models[place] ?? null])) }, step);
  return [named.length > 0 ? named : [otherwise], choose];
}
