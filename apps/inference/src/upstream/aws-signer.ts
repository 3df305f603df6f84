import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credential } from '../credentials/credential';
import type { RequestAuthorizer, RequestToAuthorize } from './request-authorizer';

/**
 * Signs requests to AWS. The region is that of the host name, such as
 * bedrock-runtime.eu-west-1.amazonaws.com; a host that names none is signed for as AWS's global ones are.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class AwsSigner implements RequestAuthorizer {
  private readonly signer: SignatureV4;

  constructor(
    credential: Extract<Credential, { kind: 'aws' }>,
    service: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    const { accessKeyId, secretAccessKey, sessionToken } = credential;
    this.signer = new SignatureV4({
      service,
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
      sha256: Hash.bind(null, 'sha256'),
      // The checksum is part of the signature; a header that repeats it is for S3 only.
      applyChecksum: false,
    });
  }

  async authorize({ origin, path, headers, body }: RequestToAuthorize): Promise<Record<string, string>> {
    const { host, hostname, protocol } = new URL(origin);
    const region = regionOf(hostname);
    const [pathname = '', query = ''] = path.split('?', 2);
    const signed = await this.signer.sign(
      {
        method: 'POST',
        protocol,
        hostname,
        path: pathname,
        query: Object.fromEntries(new URLSearchParams(query)),
        headers: { ...headers, host },
        body: Buffer.concat(body),
      },
      { signingDate: this.now(), ...(region === undefined ? {} : { signingRegion: region }) },
    );
    return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => !(name in headers) && name !== 'host'));
  }
}

/** Undefined: the name holds none. */
function regionOf(hostname: string): string | undefined {
  return /(?:^|\.)([a-z]{2,}(?:-[a-z]+)+-\d+)(?:\.|$)/.exec(hostname)?.[1];
}
