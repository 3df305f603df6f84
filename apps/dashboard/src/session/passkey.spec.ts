import { startAuthentication } from '@simplewebauthn/browser';
import { keepCsrfToken } from '../api/client';
import { offerPasskeys, signInWithPasskey } from './passkey';

jest.mock('@simplewebauthn/browser', () => ({
  browserSupportsWebAuthnAutofill: () => Promise.resolve(true),
  startAuthentication: jest.fn(),
  WebAuthnError: Error,
}));

const asked = jest.fn((..._request: unknown[]) => Promise.resolve(Response.json({ options: {} })));
beforeAll(() => {
  keepCsrfToken('token');
  jest.spyOn(globalThis, 'fetch').mockImplementation(asked);
});

it('offers nothing while somebody uses a passkey, and again once they do not', async () => {
  const starts = jest.mocked(startAuthentication);
  const never = new Error('withdrawn');
  let cancel: (why: Error) => void = () => undefined;
  const started = new Promise<void>((resolve) =>
    starts.mockRejectedValue(never).mockImplementationOnce(() => {
      resolve();
      return new Promise((_resolve, reject) => (cancel = reject));
    }),
  );
  const pressed = signInWithPasskey();
  await started;
  // The page is in sight again.
  expect(await offerPasskeys()).toBeNull();
  expect([starts.mock.calls.length, asked.mock.calls.length]).toEqual([1, 1]);
  cancel(never);
  await expect(pressed).rejects.toThrow();
  expect(await offerPasskeys()).toBeNull();
  expect(starts).toHaveBeenLastCalledWith({ optionsJSON: {}, useBrowserAutofill: true });
});

it('says that the device may have no passkey, which browsers tell as if somebody had cancelled', async () => {
  const refused = Object.assign(new Error('The operation was not allowed.'), { name: 'NotAllowedError' });
  jest.mocked(startAuthentication).mockReset().mockRejectedValue(refused);
  Object.assign(globalThis, { PublicKeyCredential: {} });
  await expect(signInWithPasskey()).rejects.toThrow('or this device has none of yours');
});
