import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListedModel } from '../api/catalog';
import { fetchContent } from '../api/content-log';
import type { OwnKey } from '../api/keys';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { CodeBlock } from '../design/code-block';
import { Dialog } from '../design/dialog';
import { SelectField } from '../design/field';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Tabs } from '../design/tabs';
import { keyChoices } from '../keys/key-state';
import { availableTo } from '../models/preferred-model';
import { asCode } from './as-code';
import { acceptedBy } from './attached-file';
import { Composer } from './composer';
import { ConversationsDialog } from './conversations-dialog';
import { fromLoggedRequest, type Replay } from './from-logged-request';
import { Pane } from './pane';
import styles from './playground.module.css';
import { problemOf, requestBody } from './request-body';
import { SetupPanel } from './setup-panel';
import type { Turn, UserTurn } from './turns';
import { mostColumns, usePlayground } from './use-playground';

const example: UserTurn = { kind: 'user', text: 'Hello', images: [] };

/** One model, or up to four with the same questions. Which ones stands in the address. */
export function Playground({ keys, models: all, hint }: { keys: OwnKey[]; models: ListedModel[]; hint: string }) {
  const [code, setCode] = useState<Record<string, unknown> | null>(null);
  const [showsKept, setShowsKept] = useState(false);
  const [chosenKey, setChosenKey] = useState('');
  const key = keys.find(({ id }) => id === chosenKey) ?? keys[0];
  const keyId = key?.id ?? '';
  const models = key ? availableTo(key, all) : [];
  const playground = usePlayground(keyId, models);
  const { columns, choose, panes, running, setup } = playground;
  const problem = problemOf(setup);
  const { cannotReplay, lacksFiles } = useReplayed(playground.replay);
  const showCode = (model: string, turns: Turn[]) => {
    if (!problem) setCode(requestBody(model, setup, turns.length ? turns : [example]));
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
          <Button icon="columns" disabled={columns.length >= mostColumns || running} onClick={playground.add}>
            Add a model
          </Button>
          <Button icon="plus" disabled={!playground.isSaid} onClick={playground.begin}>
            New
          </Button>
        </>
      }
    >
      {cannotReplay && (
        <Note tone="warn" title="This request cannot be asked again here">
          Nothing of it is kept, it was cut off when it was logged, or it is none of chat, responses or messages.
        </Note>
      )}
      {lacksFiles && (
        <Note tone="warn" title="Files of this request are not asked again">
          The log keeps no images and no other files: add them to the question.
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
                onLeave={columns.length > 1 && !running ? () => playground.leave(place) : null}
                conversation={conversation}
                onCode={() => showCode(model, conversation.turns)}
                onEdit={running ? null : playground.edit}
              />
            ))}
          </div>
          <Composer
            key={playground.draft.id}
            begun={playground.draft.turn}
            accepts={acceptedBy(models.filter(({ id }) => columns.includes(id)))}
            disabled={problem !== null}
            running={running}
            onSend={playground.send}
            onStop={playground.stop}
          />
        </div>
        <aside className={styles.side} aria-label="Settings of the playground">
          <SelectField label="Key" value={keyId} onChange={(event) => setChosenKey(event.target.value)}>
            {keyChoices(keys).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SetupPanel setup={setup} onChange={playground.setSetup} />
        </aside>
      </div>
      {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
      {showsKept && (
        <ConversationsDialog
          conversations={playground.kept.conversations}
          onOpen={(conversation) => {
            playground.goOn(conversation);
            setShowsKept(false);
          }}
          onForget={playground.kept.forget}
          onClose={() => setShowsKept(false)}
        />
      )}
    </Page>
  );
}

/** Begins with the logged request that the address names, once. Returns what of it cannot be done. */
function useReplayed(begin: ReturnType<typeof usePlayground>['replay']): {
  cannotReplay: boolean;
  lacksFiles: boolean;
} {
  const [search] = useSearch();
  const id = search.get('replay');
  const { data } = useReplay(id);
  const begun = useRef<string | null>(null);
  useEffect(() => {
    if (!data || begun.current === id) return;
    begun.current = id;
    begin(data);
  });
  return { cannotReplay: id !== null && data === null, lacksFiles: id !== null && (data?.lacksFiles ?? false) };
}

/**
 * The logged request of the event that an address names, as the playground asks it. Its `data` is null where
 * nothing of it is kept that could be asked again.
 */
function useReplay(eventId: string | null) {
  return useQuery({
    queryKey: ['replay', eventId],
    queryFn: async (): Promise<(Replay & { model: string }) | null> => {
      const logged = eventId === null ? null : await fetchContent(eventId);
      if (!logged || logged.requestTruncated) return null;
      const replay = fromLoggedRequest(logged.request, logged.model);
      return replay && { ...replay, model: logged.model };
    },
    enabled: eventId !== null,
    staleTime: Infinity,
  });
}

function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose: () => void }) {
  return (
    <Dialog open wide onClose={onClose} title="As code" description="The same request from your own program.">
      <Tabs
        label="Languages"
        tabs={asCode(location.origin, body).map(({ id, name, code }) => ({
          id,
          name,
          content: <CodeBlock code={code} name={`request for ${name}`} tall />,
        }))}
      />
    </Dialog>
  );
}
