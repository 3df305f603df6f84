import { useState } from 'react';
import type { ListedModel } from '../api/catalog';
import type { OwnKey } from '../api/keys';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { SelectField } from '../design/field';
import { Page } from '../design/page';
import { CodeDialog } from './code-dialog';
import { Composer } from './composer';
import { Pane } from './pane';
import styles from './playground.module.css';
import { noSetup, problemOf, requestBody } from './request-body';
import type { Setup } from './request-body';
import { SetupPanel } from './setup-panel';
import type { Turn, UserTurn } from './turns';
import { useConversation } from './use-conversation';

/** One model, or two with the same questions. Which ones stands in the address. */
export function Playground({ keys, models, hint }: { keys: OwnKey[]; models: ListedModel[]; hint: string }) {
  const [search, change] = useSearch();
  const [setup, setSetup] = useState<Setup>(noSetup);
  const [code, setCode] = useState<Record<string, unknown> | null>(null);
  const [chosenKey, setChosenKey] = useState('');
  const keyId = keys.some(({ id }) => id === chosenKey) ? chosenKey : (keys[0]?.id ?? '');
  const known = (id: string | null) => models.find((model) => model.id === id)?.id;
  const first = known(search.get('model')) ?? models[0]?.id ?? '';
  const second = known(search.get('second'));
  const left = useConversation(keyId, first, setup);
  const right = useConversation(keyId, second ?? '', setup);
  const conversations = second ? [left, right] : [left];
  const problem = problemOf(setup);

  const send = (turn: UserTurn) => {
    for (const conversation of conversations) conversation.send(turn);
  };
  const clear = () => {
    left.clear();
    right.clear();
  };
  const showCode = (model: string, turns: Turn[]) => {
    if (!problem) setCode(requestBody(model, setup, turns.length ? turns : [example]));
  };
  const compare = () => change({ second: second ? null : (models.find(({ id }) => id !== first)?.id ?? first) });

  return (
    <Page
      title="Playground"
      hint={hint}
      actions={
        <>
          <Button icon="columns" aria-pressed={Boolean(second)} onClick={compare}>
            {second ? 'One model' : 'Compare two'}
          </Button>
          <Button icon="trash" disabled={conversations.every(({ turns }) => !turns.length)} onClick={clear}>
            Clear
          </Button>
        </>
      }
    >
      <div className={styles.playground}>
        <div className={styles.stage}>
          <div className={styles.panes} data-two={second ? true : undefined}>
            <Pane
              label="Model"
              models={models}
              model={first}
              onModel={(id) => change({ model: id })}
              conversation={left}
              onCode={() => showCode(first, left.turns)}
            />
            {second && (
              <Pane
                label="Second model"
                models={models}
                model={second}
                onModel={(id) => change({ second: id })}
                conversation={right}
                onCode={() => showCode(second, right.turns)}
              />
            )}
          </div>
          <Composer
            disabled={problem !== null}
            running={conversations.some(({ running }) => running)}
            onSend={send}
            onStop={() => conversations.forEach(({ stop }) => stop())}
          />
        </div>
        <aside className={styles.side} aria-label="Settings of the playground">
          <SelectField label="Key" value={keyId} onChange={(event) => setChosenKey(event.target.value)}>
            {keys.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SetupPanel setup={setup} onChange={setSetup} />
        </aside>
      </div>
      {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
    </Page>
  );
}

const example: UserTurn = { kind: 'user', text: 'Hello', images: [] };
