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
  stop: () => void;
  clear: () => void;
}

/** What is said with one model. It is kept while the page is open, and nowhere else. */
export function useConversation(keyId: string, model: string, setup: Setup): Conversation {
  const [turns, setTurns] = useState<Turn[]>([]);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const send = (turn: UserTurn | ToolTurn) => {
    if (running.current) return;
    const asked = [...turns, turn];
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
  const clear = () => {
    stop();
    running.current = null;
    setTurns([]);
  };
  const last = turns.at(-1);
  return { turns, running: last?.kind === 'assistant' && last.state === 'running', send, stop, clear };
}
