import type { ServedBy } from '@tollgate/contracts';
import type {
  backgroundOperations,
  contentLogOperations,
  conversationOperations,
  ledgerOperations,
  meteringOperations,
  reportOperations,
  storedResponseOperations,
} from '@tollgate/contracts/metering';

type Metering = ServedBy<typeof meteringOperations>;
type Ledger = ServedBy<typeof ledgerOperations>;
type Report = ServedBy<typeof reportOperations>;
type ContentLog = ServedBy<typeof contentLogOperations>;
type StoredResponse = ServedBy<typeof storedResponseOperations>;
type Conversation = ServedBy<typeof conversationOperations>;
type Background = ServedBy<typeof backgroundOperations>;

/** What an operation is asked, parsed. */
export type Request<Name extends keyof Metering> = Metering[Name]['request'];

/** What an operation answers. */
export type Reply<Name extends keyof Metering> = Metering[Name]['reply'];

/** What an operation of the ledger is asked, parsed. */
export type LedgerRequest<Name extends keyof Ledger> = Ledger[Name]['request'];

/** What an operation of the ledger answers. */
export type LedgerReply<Name extends keyof Ledger> = Ledger[Name]['reply'];

/** What an operation for dashboards is asked, parsed. */
export type ReportRequest<Name extends keyof Report> = Report[Name]['request'];

/** What an operation for dashboards answers. */
export type ReportReply<Name extends keyof Report> = Report[Name]['reply'];

/** What an operation of the content log is asked, parsed. */
export type ContentLogRequest<Name extends keyof ContentLog> = ContentLog[Name]['request'];

/** What an operation of the content log answers. */
export type ContentLogReply<Name extends keyof ContentLog> = ContentLog[Name]['reply'];

/** What an operation of stored responses is asked, parsed. */
export type StoredResponseRequest<Name extends keyof StoredResponse> = StoredResponse[Name]['request'];

/** What an operation of stored responses answers. */
export type StoredResponseReply<Name extends keyof StoredResponse> = StoredResponse[Name]['reply'];

/** What an operation of conversations is asked, parsed. */
export type ConversationRequest<Name extends keyof Conversation> = Conversation[Name]['request'];

/** What an operation of conversations answers. */
export type ConversationReply<Name extends keyof Conversation> = Conversation[Name]['reply'];

/** What an operation of responses in the background is asked, parsed. */
export type BackgroundRequest<Name extends keyof Background> = Background[Name]['request'];

/** What an operation of responses in the background answers. */
export type BackgroundReply<Name extends keyof Background> = Background[Name]['reply'];
