import { AwsSigner } from './aws-signer';
import type { RequestToAuthorize } from './request-authorizer';

/**
 * The credentials and the time of AWS's own test suite:
 * https://github.com/awslabs/aws-c-auth/tree/main/tests/aws-signing-test-suite/v4
 */
const suiteKeys = {
  kind: 'aws',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
} as const;
const suiteTime = () => new Date('2015-08-30T12:36:00Z');
/** A host that names a region, as AWS's own do. */
const host = 'https://bedrock-runtime.us-east-1.amazonaws.com';
const body = [Buffer.from('{"messages":[]}')];

function request(overrides: Partial<RequestToAuthorize> = {}): RequestToAuthorize {
  return {
    origin: host,
    path: '/model/a/converse',
    headers: { 'content-type': 'application/json' },
    body,
    ...overrides,
  };
}

function signature(headers: Record<string, string>): string {
  return /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

describe('the signature of AWS', () => {
  const vectors: [string, string, Record<string, string>, string, string][] = [
    ['post-vanilla', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      '/',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-header-value-case',
      '/',
      { 'my-header1': 'VALUE1' },
      '',
      'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    ],
    [
      'post-vanilla-query',
      '/?Param1=value1',
      {},
      '',
      '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
    ],
  ];

  it.each(vectors)("is that of AWS's own vector %s", async (_name, path, headers, text, expected) => {
    const signer = new AwsSigner(suiteKeys, 'service', suiteTime);
    const origin = 'https://example.amazonaws.com';
    const added = await signer.authorize({ origin, path, headers, body: [Buffer.from(text)] });
    expect(signature(added)).toBe(expected);
    expect(added['x-amz-date']).toBe('20150830T123600Z');
  });

  async function added(overrides: Partial<RequestToAuthorize> = {}, sessionToken: string | null = null) {
    return new AwsSigner({ ...suiteKeys, sessionToken }, 'bedrock', suiteTime).authorize(request(overrides));
  }

  it('is for the region that the host names', async () => {
    const scopes: [string, string][] = [
      ['bedrock-runtime.eu-west-1.amazonaws.com', 'eu-west-1'],
      ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
      ['vpce-0a1b-x.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com', 'ap-southeast-2'],
      ['proxy.internal', 'us-east-1'],
    ];
    for (const [name, region] of scopes) {
      const { authorization } = await added({ origin: `https://${name}` });
      expect(authorization).toContain(`AKIDEXAMPLE/20150830/${region}/bedrock/aws4_request`);
    }
  });

  it('changes with every part of the request that it protects', async () => {
    const variants = [
      await added(),
      await added({ path: '/model/b/converse' }),
      await added({ path: '/model/a%3A0/converse' }),
      await added({ body: [Buffer.from('{"messages":[1]}')] }),
      await added({ headers: { 'content-type': 'text/plain' } }),
      await added({ origin: 'https://bedrock-runtime.us-west-2.amazonaws.com' }),
    ];
    expect(new Set(variants.map(signature)).size).toBe(variants.length);
  });

  it('carries a session token, as a header that is signed', async () => {
    const headers = await added({}, 'session');
    expect(headers['x-amz-security-token']).toBe('session');
    expect(headers.authorization).toContain('x-amz-security-token');
  });

  it('adds only what is new: the host and the headers at hand stay as they are', async () => {
    expect(Object.keys(await added()).sort()).toEqual(['authorization', 'x-amz-date']);
  });
});
