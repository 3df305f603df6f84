import { useRef, useState } from 'react';
import { Button, IconButton } from '../design/button';
import { Note } from '../design/note';
import { isImage, type AttachedFile, toDataUrl } from './attached-file';
import { FileList } from './file-list';
import styles from './playground.module.css';
import type { UserTurn } from './turns';

/**
 * Enter sends, Shift and Enter begin a new line. `begun`: what stands in it at first; `accepts`: the types of
 * files that may be attached.
 */
export function Composer({
  begun,
  accepts,
  disabled,
  running,
  onSend,
  onStop,
}: {
  begun: UserTurn;
  accepts: readonly string[];
  disabled: boolean;
  running: boolean;
  onSend: (turn: UserTurn) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState(begun.text);
  const [images, setImages] = useState<string[]>(begun.images);
  const [documents, setDocuments] = useState<AttachedFile[]>(begun.files ?? []);
  const [problem, setProblem] = useState<string | null>(null);
  const files = useRef<HTMLInputElement>(null);
  const ready = !disabled && !running && (text.trim() !== '' || images.length > 0 || documents.length > 0);
  const send = () => {
    if (!ready) return;
    onSend({ kind: 'user', text, images, ...(documents.length > 0 && { files: documents }) });
    setText('');
    setImages([]);
    setDocuments([]);
  };
  const attach = async (chosen: File[]) => {
    setProblem(null);
    try {
      const added = await Promise.all(
        chosen.map(async (file) => ({ name: file.name, url: await toDataUrl(file, accepts) })),
      );
      setImages((before) => [...before, ...added.flatMap(({ url }) => (isImage(url) ? [url] : []))]);
      setDocuments((before) => [...before, ...added.filter(({ url }) => !isImage(url))]);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'This file cannot be read.');
    }
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {problem && <Note tone="bad">{problem}</Note>}
      {images.length > 0 && (
        <div className={styles.images}>
          {images.map((url, number) => (
            <span key={number} className={styles.image}>
              <img src={url} alt={`Attached file ${number + 1}`} />
              <IconButton
                size="small"
                icon="close"
                label={`Take file ${number + 1} away`}
                onClick={() => setImages(images.filter((_, other) => other !== number))}
              />
            </span>
          ))}
        </div>
      )}
      <FileList
        files={documents}
        onRemove={(number) => setDocuments(documents.filter((_, other) => other !== number))}
      />
      <textarea
        aria-label="Message"
        placeholder="Ask anything"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className={styles.composerFoot}>
        <input
          ref={files}
          type="file"
          accept={accepts.join(',')}
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <IconButton icon="image" label="Attach files" onClick={() => files.current?.click()} />
        {running ? (
          <Button icon="stop" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" tone="primary" icon="send" disabled={!ready}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
