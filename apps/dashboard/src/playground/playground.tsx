import { useEffect, useRef, useState } from 'react';
import { z } from 'zod/mini';
import type { ListedModel } from '../api/catalog';
import type { OwnKey } from '../api/keys';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { SelectField } from '../design/field';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { useStored } from '../session/use-stored';
import { CodeDialog } from './code-dialog';
import { Composer } from './composer';
import { ConversationsDialog } from './conversations-dialog';
import { conversationsName } from './conversations-name';
import { conversationsShape, withConversation } from './kept-conversations';
import type { KeptConversation } from './kept-conversations';
import { Pane } from './pane';
import styles from './playground.module.css';
import { preferredModel } from './preferred-model';
import { noSetup, problemOf, requestBody } from './request-body';
import type { Setup } from './request-body';
import { SetupPanel } from './setup-panel';
import type { Turn, UserTurn } from './turns';
import { mostColumns, useColumns } from './use-columns';
import { useConversation } from './use-conversation';
import { useReplay } from './use-replay';

const text = z.string();
const nothingKept: KeptConversation[] = [];
const nothingSaid: UserTurn = { kind: 'user', text: '', images: [] };
const example: UserTurn = { kind: 'user', text: 'Hello', images: [] };
const newId = () => `${Date.now()}`;

/** One model, or up to four with the same questions. Which ones stands in the address. */
export function Playground({ keys, models, hint }: { keys: OwnKey[]; models: ListedModel[]; hint: string }) {
  const [search, change] = useSearch();
  const [setup, setSetup] = useState<Setup>(noSetup);
  const [code, setCode] = useState<Record<string, unknown> | null>(null);
  const [chosenKey, setChosenKey] = useState('');
  const [draft, setDraft] = useState({ id: 0, turn: nothingSaid });
  const [id, setId] = useState(newId);
  const [showsKept, setShowsKept] = useState(false);
  const [kept, changeKept] = useStored(conversationsName, conversationsShape, nothingKept);
  const [lastModel, setLastModel] = useStored('model', text, '');
  const keyId = keys.some((key) => key.id === chosenKey) ? chosenKey : (keys[0]?.id ?? '');
  const isKnown = (model: string) => models.some((one) => one.id === model);
  const [columns, choose] = useColumns(isKnown, preferredModel(models, lastModel));
  // As many as there can be: hooks are called alike each time.
  const all = [
    useConversation(keyId, columns[0] ?? '', setup),
    useConversation(keyId, columns[1] ?? '', setup),
    useConversation(keyId, columns[2] ?? '', setup),
    useConversation(keyId, columns[3] ?? '', setup),
  ];
  const panes = all.flatMap((conversation, place) => {
    const model = columns[place];
    return model === undefined ? [] : [{ model, conversation }];
  });
  const problem = problemOf(setup);
  const running = panes.some(({ conversation }) => conversation.running);
  const write = (turn: UserTurn) => setDraft((before) => ({ id: before.id + 1, turn }));

  const isSaid = panes.some(({ conversation }) => conversation.turns.length > 0);
  const toKeep = { id, setup, columns: panes.map(({ model, conversation }) => ({ model, turns: conversation.turns })) };
  const latest = useRef(toKeep);
  useEffect(() => {
    latest.current = toKeep;
  });
  useEffect(() => {
    // A conversation is kept once nothing of it is under way.
    if (!running && isSaid) changeKept((before) => withConversation(before, { ...latest.current, at: Date.now() }));
  }, [running, isSaid, changeKept]);

  const replayId = search.get('replay');
  const replay = useReplay(replayId);
  const replayed = useRef<string | null>(null);
  useEffect(() => {
    if (!replay.data || replayed.current === replayId) return;
    replayed.current = replayId;
    const { setup: asked, turns, question, model } = replay.data;
    setId(newId());
    setSetup(asked);
    all.forEach(({ replace }, place) => replace(place === 0 ? turns : []));
    write(question ?? nothingSaid);
    choose(isKnown(model) ? [model] : [columns[0] ?? ''], 'replace');
  });

  const send = (turn: UserTurn) => {
    setLastModel(() => columns[0] ?? '');
    for (const { conversation } of panes) conversation.send(turn);
  };
  const begin = () => {
    setId(newId());
    for (const { replace } of all) replace([]);
  };
  const goOn = (conversation: KeptConversation) => {
    setId(conversation.id);
    setSetup(conversation.setup);
    all.forEach(({ replace }, place) => replace(conversation.columns[place]?.turns ?? []));
    const known = conversation.columns.map(({ model }) => model).filter(isKnown);
    if (known.length > 0) choose(known);
    setShowsKept(false);
  };
  /** Takes a question back into the composer; what followed it goes, in every column. */
  const edit = (place: number, turn: UserTurn) => {
    for (const { conversation } of panes) conversation.replace(conversation.turns.slice(0, place));
    write(turn);
  };
  const showCode = (model: string, turns: Turn[]) => {
    if (!problem) setCode(requestBody(model, setup, turns.length ? turns : [example]));
  };
  const leave = (place: number) => {
    // What was said moves with its model.
    const staying = panes.filter((_, other) => other !== place);
    all.forEach(({ replace }, other) => replace(staying[other]?.conversation.turns ?? []));
    choose(staying.map(({ model }) => model));
  };

  return (
    <Page
      title="Playground"
      hint={hint}
      actions={
        <>
          <Button icon="list" onClick={() => setShowsKept(true)}>
            Conversations
          </Button>
          <Button
            icon="columns"
            disabled={columns.length >= mostColumns || running}
            onClick={() => choose([...columns, models.find((one) => !columns.includes(one.id))?.id ?? columns[0] ?? ''])}
          >
            Add a model
          </Button>
          <Button icon="plus" disabled={!isSaid} onClick={begin}>
            New
          </Button>
        </>
      }
    >
      {replayId !== null && replay.data === null && (
        <Note tone="warn" title="This request cannot be asked again here">
          Nothing of it is kept, it was cut off when it was logged, or it is none of chat, responses or messages.
        </Note>
      )}
      <div className={styles.playground}>
        <div className={styles.stage}>
          <div className={styles.panes} data-count={panes.length}>
            {panes.map(({ model, conversation }, place) => (
              <Pane
                key={place}
                label={place === 0 ? 'Model' : `Model ${place + 1}`}
                models={models}
                model={model}
                onModel={(chosen) => choose(columns.with(place, chosen))}
                onLeave={columns.length > 1 && !running ? () => leave(place) : null}
                conversation={conversation}
                onCode={() => showCode(model, conversation.turns)}
                onEdit={running ? null : edit}
              />
            ))}
          </div>
          <Composer
            key={draft.id}
            begun={draft.turn}
            disabled={problem !== null}
            running={running}
            onSend={send}
            onStop={() => panes.forEach(({ conversation }) => conversation.stop())}
          />
        </div>
        <aside className={styles.side} aria-label="Settings of the playground">
          <SelectField label="Key" value={keyId} onChange={(event) => setChosenKey(event.target.value)}>
            {keys.map((key) => (
              <option key={key.id} value={key.id}>
                {key.name}
              </option>
            ))}
          </SelectField>
          <SetupPanel setup={setup} onChange={setSetup} />
        </aside>
      </div>
      {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
      {showsKept && (
        <ConversationsDialog
          conversations={kept}
          onOpen={goOn}
          onForget={(one) => changeKept((before) => (one === null ? [] : before.filter((other) => other.id !== one)))}
          onClose={() => setShowsKept(false)}
        />
      )}
    </Page>
  );
}
