import { acceptedBy, partOf } from './attached-file';

const model = (...inputModalities: string[]) => ({ inputModalities });

it('offers images always, and documents and sounds where every model takes them', () => {
  const all = acceptedBy([model('text', 'pdf', 'audio'), model('audio', 'pdf')]);
  expect(all).toEqual(expect.arrayContaining(['image/png', 'application/pdf', 'audio/wav', 'audio/mpeg']));
  for (const models of [[], [model('text', 'image')], [model('pdf', 'audio'), model('text')]])
    expect(acceptedBy(models).every((type) => type.startsWith('image/'))).toBe(true);
});

it('makes parts of messages of them', () => {
  const file_data = 'data:application/pdf;base64,AAA=';
  expect(partOf({ name: 'bill.pdf', url: file_data })).toEqual({
    type: 'file',
    file: { filename: 'bill.pdf', file_data },
  });
  for (const [type, format] of [
    ['audio/x-wav', 'wav'],
    ['audio/mpeg', 'mp3'],
  ])
    expect(partOf({ name: 'a', url: `data:${type};base64,BBB=` })).toEqual({
      type: 'input_audio',
      input_audio: { data: 'BBB=', format },
    });
});
