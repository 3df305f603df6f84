import { useRef, useState } from 'react';
import { Button, IconButton } from '../design/button';
import { Note } from '../design/note';
import { toDataUrl } from './to-data-url';
import styles from './playground.module.css';
import type { UserTurn } from './turns';

/** Enter sends, Shift and Enter begin a new line. `begun`: what stands in it at first. */
export function Composer({
  begun,
  disabled,
  running,
  onSend,
  onStop,
}: {
  begun: UserTurn;
  disabled: boolean;
  running: boolean;
  onSend: (turn: UserTurn) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState(begun.text);
  const [images, setImages] = useState<string[]>(begun.images);
  const [problem, setProblem] = useState<string | null>(null);
  const files = useRef<HTMLInputElement>(null);
  const ready = !disabled && !running && (text.trim() !== '' || images.length > 0);
  const send = () => {
    if (!ready) return;
    onSend({ kind: 'user', text, images });
    setText('');
    setImages([]);
  };
  const attach = async (chosen: File[]) => {
    setProblem(null);
    try {
      const urls = await Promise.all(chosen.map(toDataUrl));
      setImages((before) => [...before, ...urls]);
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
          accept="image/png,image/jpeg,image/webp,image/gif"
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <IconButton icon="image" label="Attach images" onClick={() => files.current?.click()} />
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
