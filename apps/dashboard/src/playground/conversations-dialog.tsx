import { Button, IconButton } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { Empty } from '../design/states';
import { formatRelative } from '../format/time';
import { titleOf } from './kept-conversations';
import type { KeptConversation } from './kept-conversations';
import styles from './playground.module.css';

/** What was said before, to go on with. */
export function ConversationsDialog({
  conversations,
  onOpen,
  onForget,
  onClose,
}: {
  conversations: readonly KeptConversation[];
  onOpen: (conversation: KeptConversation) => void;
  /** Null: all of them. */
  onForget: (id: string | null) => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Conversations"
      description="Kept for you in this browser, until you forget them or sign out."
    >
      {conversations.length === 0 && (
        <Empty icon="message" title="Nothing was said yet">
          A conversation shows here once it has an answer.
        </Empty>
      )}
      <ul className={styles.kept}>
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <button type="button" className={styles.keptOpen} onClick={() => onOpen(conversation)}>
              <span className="break">{titleOf(conversation)}</span>
              <span className="muted small">
                {conversation.columns.map(({ model }) => model).join(', ')}, {formatRelative(conversation.at)}
              </span>
            </button>
            <IconButton
              size="small"
              icon="trash"
              label={`Forget ${titleOf(conversation)}`}
              onClick={() => onForget(conversation.id)}
            />
          </li>
        ))}
      </ul>
      {conversations.length > 0 && (
        <DialogActions>
          <Button icon="trash" onClick={() => onForget(null)}>
            Forget all
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}
