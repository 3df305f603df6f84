import { useCallback, useEffect, useRef, useState } from 'react';
import { requestBody } from './request-body';
import type { Setup } from './request-body';
import { streamAnswer } from './stream-answer';
import { newAnswer } from './turns';
import type { ToolTurn, Turn, UserTurn } from './turns';

export interface Conversation {
  turns: Turn[];
  running: boolean;
  send: (turn: UserTurn | ToolTurn) => void;
  /** Asks the last question again; what was answered to it goes. */
  retry: () => void;
  stop: () => void;
  /** Goes on from these turns, as if they had been said. */
  replace: (turns: Turn[]) => void;
}

/** What is said with one model. */
export function useConversation(keyId: string, model: string, setup: Setup): Conversation {
  const [turns, setTurns] = useState<Turn[]>([]);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const ask = (asked: Turn[]) => {
    if (running.current) return;
    const abort = (running.current = new AbortController());
    const empty = newAnswer(model);
    setTurns([...asked, empty]);
    const finished = streamAnswer(keyId, requestBody(model, setup, asked), empty, abort.signal, (answer) => {
      if (running.current === abort) setTurns([...asked, answer]);
    });
    void finished.finally(() => {
      if (running.current === abort) running.current = null;
    });
  };
  const replace = (next: Turn[]) => {
    stop();
    running.current = null;
    setTurns(next);
  };
  const last = turns.at(-1);
  return {
    turns,
    running: last?.kind === 'assistant' && last.state === 'running',
    send: (turn) => ask([...turns, turn]),
    retry: () => ask(turns.slice(0, turns.findLastIndex(({ kind }) => kind !== 'assistant') + 1)),
    stop,
    replace,
  };
}
