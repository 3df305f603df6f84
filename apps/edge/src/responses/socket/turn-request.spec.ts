import { memberPlaces } from '@tollgate/dialects/surface';
import { ownMembers, readTurn, TurnRefusal } from './turn-request';

/** With what the event became. */
const read = (text: string) => {
  const event = Buffer.from(text);
  return { ...readTurn(event, memberPlaces(event, ownMembers)), body: event.toString() };
};
const refused = (text: string): unknown => {
  try {
    return read(text);
  } catch (error) {
    return error;
  }
};

describe('an event that asks for a response', () => {
  it('is what would be posted for it, byte for byte, as a stream', () => {
    const { lane, previousId, body } = read(
      ' { "type":"response.create", "input" : "a\\u00e9",\n"model":"m","stream_id":"main","stream":false, "previous_response_id": "resp_1"} ',
    );
    expect([lane, previousId]).toEqual(['main', 'resp_1']);
    expect(body.trim().replace(/ {2,}/g, '')).toBe(
      '{ "stream":true, "input" : "a\\u00e9",\n"model":"m", "previous_response_id": "resp_1"}',
    );
  });

  it.each([
    '"stream_id":"a","model":"m","background":false,"stream":false,"type":"response.create"',
    '"stream":true,"stream_id":null,"type":"response.create"',
    '"type":"response.create","stream":false,"stream_id":"a"',
    '"type":1,"a":[1],"type":"response.create" , "stream":false,"b":{},"stream_id":"a","c":"d"',
  ])('is that in whatever order its members stand: %s', (members) => {
    const {
      type,
      stream,
      stream_id: lane,
      background,
      ...posted
    } = JSON.parse(`{${members}}`) as Record<string, unknown>;
    expect([type, stream, lane, background]).toBeDefined();
    expect(JSON.parse(read(`{${members}}`).body)).toEqual({ ...posted, stream: true });
  });

  it('has no lane unless it names one, and goes on from nothing unless it says so', () => {
    for (const more of ['', ',"stream_id":null', ',"previous_response_id":null', ',"background":false'])
      expect(read(`{"type":"response.create"${more}}`)).toMatchObject({ lane: null, previousId: null });
  });

  it.each(['{"type":"response.cancel"}', '{}', `{"type":"${'x'.repeat(2_000)}"}`])(
    'is of no other type: %s',
    (text) => {
      expect(refused(text)).toMatchObject({ error: { status: 400, details: { param: 'type' } } });
    },
  );

  it.each(['""', '7', '"a b"', `"${'x'.repeat(257)}"`, `"${'x'.repeat(2_000)}"`])('names no lane %s', (name) => {
    expect(refused(`{"type":"response.create","stream_id":${name}}`)).toMatchObject({
      lane: null,
      error: { details: { reason: 'invalid_stream_id', param: 'stream_id' } },
    });
  });

  it('asks for nothing in the background, and hears so in its lane', () => {
    const refusal = refused('{"type":"response.create","stream_id":"a","background":true}');
    expect(refusal).toBeInstanceOf(TurnRefusal);
    expect(refusal).toMatchObject({ lane: 'a', error: { details: { param: 'background' } } });
  });

  it.each([`"background"${' '.repeat(1_100)}:true`, `"stream":"${'x'.repeat(1_100)}\\x"`])(
    'has nothing left out unseen for its length',
    (member) => {
      const param = member.slice(1, member.indexOf('"', 1));
      expect(refused(`{"type":"response.create",${member}}`)).toMatchObject({ error: { details: { param } } });
    },
  );

  it('has no bad escape left out', () => {
    expect(refused(`{"type":"response.create","stream":"${'x'.repeat(60)}\\x"}`)).toBeInstanceOf(TurnRefusal);
  });

  it.each(['', '[]', '"x"', '{"type"', '{"a":1} x'])('is one JSON object, and not %s', (text) => {
    expect(() => memberPlaces(Buffer.from(text), ownMembers)).toThrow('one object');
  });
});
