export {
  accountPermission,
  accountRole,
  mayInAccount,
  rolePermissions,
  type AccountPermission,
  type AccountRole,
} from './account-roles';
export { isStopped } from './account-status';
export {
  accountStatus,
  callerKey,
  toWireKey,
  keySummary,
  account,
  accountsOperations,
  keySettings,
  newKeySettings,
  changedKeySettings,
  keyChanged,
  accountsHeartbeat,
  accountsSubjects,
} from './accounts';
export type { Account, CallerKey, ChangedKeySettings, KeyChanged, KeySettings, KeySummary, OwnLimit } from './accounts';
export {
  adminScope,
  adminScopes,
  adminTokenOperations,
  directoryScope,
  unknownDeed,
  type AdminScope,
  type AdminToken,
} from './admin-tokens';
export {
  alertKind,
  webhookForm,
  webhookOperations,
  type AlertKind,
  type Webhook,
  type WebhookDelivery,
  type WebhookForm,
} from './alerts';
export { directoryOperations, directoryRole, directoryUser, type DirectoryUser } from './directory';
export {
  importOperations,
  type ImportCounts,
  type ImportedAccount,
  type ImportedBudget,
  type ImportedKey,
} from './imports';
export { invitation, invitationWay, member, memberOperations, type Invitation, type Member } from './members';
export { aboutOwnKey, isOwnKeyProvider, mostOwnKeyCharacters, ownKeyOperations, ownKeyProvider } from './own-keys';
export {
  ownKeyProviderOperations,
  ownKeySealingOperations,
  takersOfOwnKeys,
  takesNoOwnKeys,
  whyNoOwnKeys,
  type OwnKey,
} from './own-keys';
export { passkey, passkeyName, passkeyOperations } from './passkeys';
export {
  personRole,
  personName,
  emailAddress,
  newPassword,
  typedPassword,
  person,
  ownAccount,
  signedIn,
  openedSession,
  signInFeatures,
  sessionSummary,
  mail,
  namedAuditLine,
  resetLink,
  type ResetLink,
  type NamedAuditLine,
  accountRow,
  peopleOperations,
  administrationOperations,
  type PersonRole,
  type Person,
  type SignedIn,
  type OpenedSession,
  type SignInFeatures,
  type Mail,
} from './people';
export { plan, planName, type Plan } from './plan';
export { mostProjectKeys, type Projects } from './projects';
export { factorProof, secondFactorCode, secondFactorOperations, secondFactorState } from './second-factor';
export { staleTokenReason } from './stale-token';
export { newPasskey, passkeyAnswer, passkeyOptions, type NewPasskey, type PasskeyAnswer } from './webauthn';
