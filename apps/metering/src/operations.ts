import type {
  backgroundOperations,
  contentLogOperations,
  conversationOperations,
  ledgerOperations,
  meteringOperations,
  reportOperations,
  storedResponseOperations,
} from '@tollgate/contracts';
import type { z } from 'zod';

type BackgroundOperations = typeof backgroundOperations;
type Operations = typeof meteringOperations;
type ContentLogOperations = typeof contentLogOperations;
type ConversationOperations = typeof conversationOperations;
type LedgerOperations = typeof ledgerOperations;
type ReportOperations = typeof reportOperations;
type StoredResponseOperations = typeof storedResponseOperations;

/** What an operation is asked, parsed. */
export type Request<Name extends keyof Operations> = z.output<Operations[Name]['request']>;

/** What an operation answers. */
export type Reply<Name extends keyof Operations> = z.output<Operations[Name]['reply']>;

/** What an operation of the ledger is asked, parsed. */
export type LedgerRequest<Name extends keyof LedgerOperations> = z.output<LedgerOperations[Name]['request']>;

/** What an operation of the ledger answers. */
export type LedgerReply<Name extends keyof LedgerOperations> = z.output<LedgerOperations[Name]['reply']>;

/** What an operation for dashboards is asked, parsed. */
export type ReportRequest<Name extends keyof ReportOperations> = z.output<ReportOperations[Name]['request']>;

/** What an operation for dashboards answers. */
export type ReportReply<Name extends keyof ReportOperations> = z.output<ReportOperations[Name]['reply']>;

/** What an operation of the content log is asked, parsed. */
export type ContentLogRequest<Name extends keyof ContentLogOperations> = z.output<
  ContentLogOperations[Name]['request']
>;

/** What an operation of the content log answers. */
export type ContentLogReply<Name extends keyof ContentLogOperations> = z.output<ContentLogOperations[Name]['reply']>;

/** What an operation of stored responses is asked, parsed. */
export type StoredResponseRequest<Name extends keyof StoredResponseOperations> = z.output<
  StoredResponseOperations[Name]['request']
>;

/** What an operation of stored responses answers. */
export type StoredResponseReply<Name extends keyof StoredResponseOperations> = z.output<
  StoredResponseOperations[Name]['reply']
>;

/** What an operation of conversations is asked, parsed. */
export type ConversationRequest<Name extends keyof ConversationOperations> = z.output<
  ConversationOperations[Name]['request']
>;

/** What an operation of conversations answers. */
export type ConversationReply<Name extends keyof ConversationOperations> = z.output<
  ConversationOperations[Name]['reply']
>;

/** What an operation of responses in the background is asked, parsed. */
export type BackgroundRequest<Name extends keyof BackgroundOperations> = z.output<
  BackgroundOperations[Name]['request']
>;

/** What an operation of responses in the background answers. */
export type BackgroundReply<Name extends keyof BackgroundOperations> = z.output<BackgroundOperations[Name]['reply']>;
