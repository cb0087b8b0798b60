import { readableCsv, readableNumber, readableTime } from './readable-csv';

const EXPORTED =
  '\uFEFFid,message,recipient\r\n1,"Hi, ""you""\r\nthere",+4915112345678\r\n2,\'=1+1,+447700900123\r\n3,,Bank\r\n';

describe('the export for people', () => {
  it('has the cells that were asked for, separated as spreadsheets of the language expect', async () => {
    const columns = [
      ['Nummer', ({ recipient = '' }) => readableNumber(recipient)],
      ['Text', ({ message = '' }) => message],
    ] as const;
    const file = await readableCsv(new Blob([EXPORTED]), columns, ';');
    expect(await file.text()).toBe(
      'Nummer;Text\r\n+49 1511 2345678;"Hi, ""you""\r\nthere"\r\n+44 7700 900123;\'=1+1\r\nBank;\r\n',
    );
    expect(new Uint8Array(await file.arrayBuffer()).subarray(0, 3)).toEqual(new Uint8Array([239, 187, 191]));
  });

  it('keeps texts with line breaks and quotes together, wherever the parts of the file end', async () => {
    const texts = Array.from(
      { length: 5_000 },
      (_, index) => `"${index}"\r\n,\r\n"${'x'.repeat(index % 61)}`,
    );
    const exported = texts.map((text) => `"${text.replaceAll('"', '""')}"\r\n`).join('');
    const file = await readableCsv(
      new Blob(['\uFEFFmessage\r\n', exported]),
      [['Text', ({ message = '' }) => message]],
      ',',
    );
    expect(await file.text()).toBe(`Text\r\n${exported}`);
  });

  it('has the names of its columns if no message was selected', async () => {
    const file = await readableCsv(new Blob(['\uFEFFid\r\n']), [['Id', ({ id = '' }) => id]], ',');
    expect(await file.text()).toBe('Id\r\n');
  });

  it('has times that spreadsheets read, in a zone', () => {
    expect(readableTime('2026-06-30T22:05:09.123Z', 'Europe/Berlin')).toBe('2026-07-01 00:05:09');
    expect(readableTime('', 'UTC')).toBe('');
  });
});
