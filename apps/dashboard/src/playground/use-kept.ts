import { useEffect, useRef } from 'react';
import { useStored } from '../session/use-stored';
import { conversationsShape, withConversation } from './kept-conversations';
import type { KeptConversation } from './kept-conversations';

const none: KeptConversation[] = [];

interface Kept {
  conversations: KeptConversation[];
  /** Null: all of them. */
  forget: (id: string | null) => void;
}

/**
 * The conversations that this browser keeps: this one, too, as often as nothing of it is under way any more.
 */
export function useKept(conversation: Omit<KeptConversation, 'at'>, running: boolean): Kept {
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
