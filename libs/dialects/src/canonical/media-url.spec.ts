import { fromUrl } from './media-url';

const typeOf = (url: string) => {
  const source = fromUrl(url, 'image_url');
  return source.kind === 'data' ? source.mediaType : source.kind;
};

// https://github.com/home-assistant/core/issues/167208 https://github.com/n8n-io/n8n/issues/12955
it.each([
  ['image/png', '/9j/4AAQSkZJRgABAQ==', 'image/jpeg'],
  ['image/jpg', '/9j/4AAQSkZJRgABAQ==', 'image/jpeg'],
  ['image/jpeg', 'iVBORw0KGgoAAAANSUhEUg==', 'image/png'],
  ['application/octet-stream', 'R0lGODlhAQABAAAAACw=', 'image/gif'],
  ['image/png', 'UklGRiQAAABXRUJQVlA4IBg=', 'image/webp'],
  ['audio/wav', 'UklGRiQAAABXQVZFZm10IBA=', 'audio/wav'],
])('takes data that is said to be %s for what it is: %s', (told, data, type) =>
  expect(typeOf(`data:${told};base64,${data}`)).toBe(type),
);

it.each([
  ['image/jpg', 'image/jpeg'],
  ['image/heic', 'image/heic'],
  ['application/pdf', 'application/pdf'],
])('believes what is said of data that tells nothing: %s', (told, type) =>
  expect(typeOf(`data:${told};base64,AAAA`)).toBe(type),
);

// A regular expression that goes back over millions of them has no stack left.
it('refuses a head of millions of parameters as one that is none', () => {
  const url = `data:image/png${';a=b'.repeat(5_000_000)};base64,AAAA`;
  expect(() => fromUrl(url, 'image_url')).toThrow(/must be a data URL in base64/);
});
