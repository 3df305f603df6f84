import type { UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { withoutBom } from '../wire/request-json';
import { membersOf, nullsIn, splicedPieces, type MemberRange } from '../wire/splice-object';

/** Of a request with these members, those that get another value, as JSON; what the caller is told is added. */
type MembersToSet = (
  source: Uint8Array,
  members: readonly MemberRange[],
  warnings: string[],
) => Record<string, Uint8Array>;

/**
 * The caller's own bytes for an endpoint that answers with one document: with the provider's name of the
 * model, and without the fields that the provider refuses; where it refuses null, what is null is not said.
 * Of duplicates of a field in `ownedFields` (those that the gateway reads) only the last one is sent, which
 * is the one that was validated.
 */
export function passedRequest(
  path: string,
  body: Uint8Array,
  { provider, upstreamModel }: UpstreamTarget,
  ownedFields: readonly string[],
  membersToSet: MembersToSet = () => ({}),
): UpstreamRequest {
  const source = withoutBom(body);
  const members = membersOf(source);
  const unsaid = nullsIn(source, members);
  const { dropFields, refusesNull } = provider.quirks;
  const dropped = dropFields.filter((field) => !unsaid.has(field) && members.some(({ name }) => name === field));
  const nulls = [...unsaid].filter((field) => refusesNull || dropFields.includes(field));
  const warnings = dropped.map((field) => `${field} was dropped: ${provider.name} does not take it`);
  const set = membersToSet(source, members, warnings);
  return {
    path,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: splicedPieces(source, members, {
      set: { ...set, model: Buffer.from(JSON.stringify(upstreamModel)) },
      single: ownedFields,
      drop: [...dropped, ...nulls],
    }),
    warnings,
  };
}
