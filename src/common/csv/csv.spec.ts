import { readRecords } from './csv-records';
import { decodeText } from './decode-text';
import { csvFormatOf } from './csv-format';
import { readStart } from './text-start';
import { UnreadableCsv } from './unreadable-csv';

/** The file in chunks of a size, so that each character falls between two of them once. */
function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function* asStream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

async function read(bytes: Uint8Array, encoding?: string, size = 3) {
  const { start, text } = await readStart(decodeText(asStream(inChunks(bytes, size)), encoding));
  const records = [];
  for await (const record of readRecords(text, csvFormatOf(start).delimiter)) records.push(record);
  return records;
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();

const problemOf = (bytes: Uint8Array, encoding?: string) =>
  read(bytes, encoding).then(
    () => 'none',
    (failure: unknown) => (failure instanceof UnreadableCsv ? failure.problem : String(failure)),
  );

describe('a CSV file', () => {
  const TEXT = 'name;number\r\n"Müller; Ada ""€""";+491511\r\n';
  const FIELDS = [
    ['name', 'number'],
    ['Müller; Ada "€"', '+491511'],
  ];

  it.each([
    ['UTF-8', Buffer.from(TEXT), undefined],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), undefined],
    ['UTF-16 LE', utf16(`\ufeff${TEXT}`), undefined],
    ['UTF-16 BE', utf16be(`\ufeff${TEXT}`), undefined],
    ['UTF-16 without a mark', utf16(TEXT), undefined],
    ['UTF-16 BE, named', utf16be(TEXT), 'utf-16be'],
    ['windows-1252', Buffer.from(TEXT.replace('€', '\x80'), 'latin1'), 'windows-1252'],
    ['UTF-8 although another one is named', Buffer.from(`\ufeff${TEXT}`), 'windows-1252'],
    ['old Mac line ends', Buffer.from(TEXT.replaceAll('\r\n', '\r')), undefined],
  ])('is read in %s', async (_, bytes, encoding) => {
    for (const size of [1, 3, 1_000])
      expect((await read(bytes, encoding, size)).map(({ fields }) => fields)).toEqual(FIELDS);
  });

  it('knows the line on which each record begins', async () => {
    const text = 'a,b\r\n"x\r\ny",1\r\n\r\n,\r\nz , "q" , 5" pipe,say "hi"\r\n';
    expect(await read(Buffer.from(text))).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['x\ny', '1'] },
      { line: 6, fields: ['z', 'q', '5" pipe', 'say "hi"'] },
    ]);
  });

  it.each([
    ['a workbook', Buffer.from('PK\x03\x04rest'), 'is an Excel workbook'],
    [
      'an old workbook',
      Buffer.from('\xd0\xcf\x11\xe0\xa1', 'latin1'),
      'is an Excel workbook of the old format',
    ],
    ['a PDF', Buffer.from('%PDF-1.7'), 'is a PDF'],
    ['a gzip archive', Buffer.from('\x1f\x8b\x08', 'latin1'), 'is a gzip archive'],
    ['a picture', Buffer.from('\x89PNG\r\n', 'latin1'), 'is a picture'],
    ['a vCard', Buffer.from('BEGIN:VCARD\nVERSION:3.0'), 'is a vCard'],
    ['a page', Buffer.from('\ufeff <!DOCTYPE html><html>'), 'is a web page'],
    ['bytes', Buffer.from('a,\0\0b'), 'is no text'],
    ['Latin-1', Buffer.from('J\xfcrgen', 'latin1'), 'is not in UTF-8: save it as "CSV UTF-8"'],
    ['half a character', Buffer.from('a,\xc3', 'latin1'), 'is not in UTF-8'],
    [
      'an open quote',
      Buffer.from('a,b\n1,2\n3,"4\n5,6\n'),
      'has a quotation mark on line 3 that is not closed',
    ],
    ['a long row', Buffer.from(`a,b\n"${'x'.repeat(120_000)}`), 'has a row on line 2 that is longer'],
  ])('is not %s', async (_, bytes, problem) => {
    expect(await problemOf(bytes)).toContain(problem);
  });
});
