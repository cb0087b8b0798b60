import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContactList } from './contact-list';
import { errorLines, checkContacts } from './check-contacts';
import { Template } from './template';

describe('the text', () => {
  it('has columns in it, as often as it likes', () => {
    const template = Template.parse('{name}, your code is { code }. Bye {name}!');
    expect(template.columns).toEqual(['name', 'code']);
    expect(template.fill((column) => `<${column}>`)).toBe('<name>, your code is <code>. Bye <name>!');
  });

  it('has columns in double braces as well', () => {
    const template = Template.parse('Hi {{ name }}, {code}');
    expect(template.fill((column) => `<${column}>`)).toBe('Hi <name>, <code>');
  });

  it('takes values as they are', () => {
    expect(Template.parse('Hi {name}').fill(() => '{name} $& {')).toBe('Hi {name} $& {');
  });

  it.each(['Hi {{{name}}}', 'Hi {{name}', 'Hi {name', 'Hi name}', 'Hi {}', 'Hi { }', '{a{b}}'])(
    'is not %s',
    (text) => {
      expect(() => Template.parse(text)).toThrow('--message: braces');
    },
  );
});

describe('the contacts', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'contacts-'));
    file = join(folder, 'contacts.csv');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const open = (content: string | Buffer, text = 'Hi {name}', column?: string) => {
    writeFileSync(file, content);
    return ContactList.open(file, Template.parse(text), column);
  };
  const all = async (content: string, text?: string, column?: string) => {
    const entries = [];
    for await (const entry of (await open(content, text, column)).read()) entries.push(entry);
    return entries;
  };
  const one = (message: string, line = 2) => [{ line, recipient: '+491511', message }];

  it.each([
    ['commas', 'phone,name\n+491511,Ada\n'],
    ['semicolons, as spreadsheets write where commas are decimal', 'phone;name\n+491511;Ada\n'],
    ['tabs', 'phone\tname\n+491511\tAda'],
    ['Windows line ends and a byte order mark', '\ufeffphone,name\r\n+491511,Ada\r\n'],
    ['quotes, spaces and capitals', '"Name" , PHONE\n"Ada" , "+49 (15) 11"\n'],
    ['empty rows', 'recipient,name\n+491511,Ada\n\n,\n'],
    ['a comma at the end of rows', 'phone,name\n+491511,Ada,\n'],
    ['a comma at the end of the header', 'phone,name,\n+491511,Ada\n'],
  ])('are read with %s', async (_, content) => {
    expect(await all(content)).toEqual(one('Hi Ada'));
  });

  it('may have commas, quotes and line breaks in a value', async () => {
    const content = 'phone,name\n+491511,"Ada ""the first"",\nCountess"\n+491511,Bob\n';
    expect(await all(content)).toEqual([...one('Hi Ada "the first",\nCountess', 2), ...one('Hi Bob', 4)]);
  });

  it.each(['sep=;\n', '\ufeffsep=;\r\n', '"sep=;"\n', 'SEP=;\n'])(
    'may begin with the line %j',
    async (line) => {
      expect(await all(`${line}phone;name\n+491511;Ada, Countess\n`)).toEqual(one('Hi Ada, Countess', 3));
    },
  );

  it.each([
    ['windows-1251', 'Жанна', [0xc6, 0xe0, 0xed, 0xed, 0xe0]],
    ['koi8-r', 'Жанна', [0xf6, 0xc1, 0xce, 0xce, 0xc1]],
    ['windows-1255', 'שלום', [0xf9, 0xec, 0xe5, 0xed]],
  ])('are read in %s', async (encoding, name, bytes) => {
    writeFileSync(file, Buffer.concat([Buffer.from('phone,name\n+491511,'), Buffer.from(bytes)]));
    const list = await ContactList.open(file, Template.parse('{name}'), undefined, encoding);
    expect((await checkContacts(list)).first?.message).toBe(name);
  });

  it('are read in UTF-16 with its mark', async () => {
    const list = await open(Buffer.from('\ufeffphone;name\n+491511;Ada', 'utf16le'));
    expect((await checkContacts(list)).first).toEqual({ line: 2, recipient: '+491511', message: 'Hi Ada' });
  });

  it('may be numbers alone, also on one line', async () => {
    const numbers = ['07700900123', '07700900124', '07700900125'];
    const sent = (line: number) => numbers.map((recipient) => ({ line, recipient, message: 'Hi' }));
    expect(await all('07700900123, 07700 900124,07700900125', 'Hi')).toEqual(sent(1));
    expect(await all('07700900123; 07700900124; 07700900125;\n', 'Hi')).toEqual(sent(1));
    expect((await all(`${numbers.join('\n')}\n`, 'Hi')).map((entry) => entry.line)).toEqual([1, 2, 3]);
  });

  it('have the numbers in the column that is named', async () => {
    expect(await all('phone,mobile\nx,+491511\n', 'Hi', 'Mobile')).toEqual(one('Hi'));
  });

  it('are told by line when nothing can be sent to them', async () => {
    const long = 'x'.repeat(1_598);
    const list = await open(
      `phone,name\n+491511,Ada\n4.47E+11,Bob\nnobody,Bob\n\n+491511\n+491511,\n+491511,${long}\n+491511,${long.slice(1)}\n1,x\n`,
    );
    const { count, first, invalidCount, ...found } = await checkContacts(list);
    expect([count, invalidCount, first?.message]).toEqual([2, 6, 'Hi Ada']);
    expect(errorLines({ count, first, invalidCount, ...found })).toEqual([
      'line 3: phone "4.47E+11" is a number that a spreadsheet shortened: format the column of phone numbers as text, and enter the whole number',
      'line 4: phone "nobody" is not a phone number: 3 to 15 digits, with or without a leading +',
      'line 6: has 1 columns, the header has 2',
      'line 7: name is empty',
      'line 8: the message would have 1601 characters, 1600 at most',
      'line 10: phone "1" is not a phone number: 3 to 15 digits, with or without a leading +',
    ]);
  });

  it('are told up to twenty times, then counted', async () => {
    const told = errorLines(await checkContacts(await open(`phone,name\n${'x,Ada\n'.repeat(30)}`)));
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('and 10 more');
  });

  it('are hashed as they are in the file', async () => {
    const first = await checkContacts(await open('phone,name\n+491511,Ada\n'));
    const second = await checkContacts(await open('phone,name\r\n+491511,Ada\n'));
    expect(first.hash).toMatch(/^[\da-f]{64}$/);
    expect(second.hash).not.toBe(first.hash);
  });

  it.each([
    ['', undefined, 'is empty'],
    ['number,name\n', undefined, 'no column is named phone or recipient; the columns are number, name'],
    ['phone,recipient,name\n', undefined, 'phone and recipient could contain'],
    ['phone,name\n', 'mobile', 'there is no column mobile; the columns are phone, name'],
    ['phone,title\n', undefined, 'there is no column name; the columns are phone, title'],
    ['phone,name,Name\n', undefined, 'more than one column name'],
  ])('need their columns: %j', async (content, column, reason) => {
    await expect(open(content, 'Hi {name}', column)).rejects.toThrow(reason);
  });

  it.each([
    ['Latin-1', Buffer.from('phone,name\n+491511,J\xfcrgen\n', 'latin1'), 'not in UTF-8'],
    [
      'a quote that is not closed',
      'phone,name\n+491511,"Ada\n+491511,Bob\n',
      'quotation mark on line 2 that is not closed',
    ],
    ['a row without end', `phone,name\n+491511,"${'x'.repeat(200_000)}"\n`, 'line 2 that is longer'],
  ])('are no CSV: %s', async (_, content, reason) => {
    await expect(open(content).then(checkContacts)).rejects.toThrow(reason);
  });

  it('are not another file all of a sudden', async () => {
    const list = await open('phone,name\n+491511,Ada\n');
    await list.assertUnchanged();
    appendFileSync(file, '+491512,Bob\n');
    await expect(list.assertUnchanged()).rejects.toThrow('has changed since it was opened');
  });
});
