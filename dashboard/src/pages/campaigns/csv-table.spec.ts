import { guessNumberColumn, readTable, readText, type TableProblem, UnreadableTable } from './csv-table';

const problemOf = (act: () => unknown): [TableProblem, number | undefined] | undefined => {
  try {
    act();
  } catch (error) {
    if (error instanceof UnreadableTable) return [error.problem, error.line];
    throw error;
  }
  return undefined;
};

describe('reading the rows of a campaign', () => {
  it.each([
    ['commas', 'phone,name\n+4915111111111,Ada\n', ','],
    ['semicolons', 'phone;name\r\n+4915111111111;Ada\r\n', ';'],
    ['tabs', '\uFEFFphone\tname\r+4915111111111\tAda', '\t'],
  ])('reads %s, and any end of lines', (_, text) => {
    expect(readTable(text)).toEqual({
      columns: ['phone', 'name'],
      hasHeader: true,
      rows: [{ line: 2, fields: ['+4915111111111', 'Ada'] }],
    });
  });

  it('counts lines as an editor does: with empty ones, and those within quotes', () => {
    const { rows } = readTable('phone,text\n\n" +491511 ","one\ntwo"\n,\n+492,"say ""hi"", please"\n+493,x');
    expect(rows).toEqual([
      { line: 3, fields: ['+491511', 'one\ntwo'] },
      { line: 6, fields: ['+492', 'say "hi", please'] },
      { line: 7, fields: ['+493', 'x'] },
    ]);
    // Without a quote, another way is taken.
    expect(readTable('a\n\nb\r\n\r\nc').rows.map(({ line }) => line)).toEqual([3, 5]);
  });

  it('finds out that a list of numbers has no header, or is told', () => {
    const numbers = '+491511234567\n+491517654321';
    expect(readTable(numbers)).toMatchObject({
      columns: ['1'],
      hasHeader: false,
      rows: [{ line: 1 }, { line: 2 }],
    });
    expect(readTable(numbers, true)).toMatchObject({ columns: ['+491511234567'], rows: [{ line: 2 }] });
    expect(readTable('a,\nb,c', false)).toMatchObject({ columns: ['1', '2'] });
    expect(readTable('a,\nb,c')).toMatchObject({ columns: ['a', '2'] });
  });

  it.each([
    ['commas', '07700900123, 07700 900124,07700900125'],
    ['commas and semicolons', '07700900123, 07700900124; 07700900125'],
    ['spaces', '07700900123 07700900124  07700900125'],
    ['an end', '07700900123;07700900124;07700900125;\n'],
    ['country codes', '+447700900123, +447700900124, +44 (0)7700 900125'],
  ])('takes each number of one line, with %s', (_, text) => {
    const { columns, hasHeader, rows } = readTable(text);
    expect([columns, hasHeader]).toEqual([['1'], false]);
    expect(rows.map(({ line, fields }) => [line, fields.length])).toEqual([1, 1, 1].map((line) => [line, 1]));
    expect(rows.map(({ fields: [number = ''] }) => number.slice(-1))).toEqual(['3', '4', '5']);
  });

  it('takes each number of lines with nothing else, but not two columns of numbers of different kinds', () => {
    const wrapped = readTable('07700900123, 07700900124,\n07700900125, 07700900126,\n');
    expect(wrapped.rows.map(({ line }) => line)).toEqual([1, 1, 2, 2]);
    const customers = readTable('07700900123,4711001\n07700900124,4711002');
    expect(customers).toMatchObject({ columns: ['1', '2'], rows: [{ line: 1 }, { line: 2 }] });
    expect(readTable('a, b, c\n1,2,3').columns).toEqual(['a', 'b', 'c']);
    for (const row of ['07700900123, Ada', '07700900123, 4711001'])
      expect(readTable(row)).toMatchObject({ columns: ['1', '2'], rows: [{ line: 1 }] });
  });

  it.each(['sep=;\n', '\uFEFFsep=;\r\n', '"sep=;"\n', 'SEP=;\r'])(
    'takes the delimiter of the line %j',
    (first) => {
      expect(readTable(`${first}phone;name\n+4915111111111;Ada, Countess`)).toEqual({
        columns: ['phone', 'name'],
        hasHeader: true,
        rows: [{ line: 3, fields: ['+4915111111111', 'Ada, Countess'] }],
      });
    },
  );

  it.each([
    ['in all rows', 'phone,name,\n+4915111111111,Ada,\n'],
    ['in the header', 'phone,name,\n+4915111111111,Ada\n'],
    ['in rows', 'phone,name\n+4915111111111,Ada,,\n'],
  ])('makes no column of a comma at the end, %s', (_, text) => {
    expect(readTable(text)).toMatchObject({
      columns: ['phone', 'name'],
      rows: [{ fields: ['+4915111111111', 'Ada'] }],
    });
    const { rows } = readTable('phone,name\n+4915111111111,Ada,x\n+4915111111112');
    expect(rows.map(({ fields }) => fields.length)).toEqual([3, 1]);
  });

  it('does not take a shortened number for a header', () => {
    expect(readTable('4.47E+11\n+447700900123')).toMatchObject({ hasHeader: false, rows: [{}, {}] });
  });

  it.each<[string, string, [TableProblem, number | undefined]]>([
    ['nothing', ' \n\n', ['empty', undefined]],
    ['a header alone', 'phone,name\n', ['empty', undefined]],
    ['an open quote', 'phone,name\n1,a\n2,"b\n3,c\n', ['openQuote', 3]],
    ['too many rows', `phone\n${'+491511234567\n'.repeat(10_001)}`, ['tooManyRows', 10_002]],
    ['too many columns', `phone${','.repeat(100)}\n1`, ['tooManyColumns', 1]],
  ])('refuses %s', (_, text, problem) => {
    expect(problemOf(() => readTable(text))).toEqual(problem);
  });

  it('takes 10,000 rows', () => {
    expect(readTable(`phone\n${'+491511234567\n'.repeat(10_000)}`).rows).toHaveLength(10_000);
    expect(readTable('+491511234567\n'.repeat(10_000)).rows).toHaveLength(10_000);
  });

  it('guesses the column of the numbers by its content, then by its name', () => {
    const guess = (text: string) => guessNumberColumn(readTable(text));
    expect(guess('name,age,Handy\nAda,36,+491511234567\nBob,40,0151 1234567')).toBe(2);
    expect(guess('customer,mobile\n1234567,7654321')).toBe(1);
    expect(guess('a,b\nx,y')).toBe(0);
  });
});

describe('reading a file', () => {
  const file = (...bytes: number[]) => new Blob([new Uint8Array(bytes)]);

  it.each([
    ['UTF-8', file(0xc3, 0xa4), 'ä'],
    ['UTF-8 with a mark', file(0xef, 0xbb, 0xbf, 0xc3, 0xa4), 'ä'],
    ['UTF-16', file(0xff, 0xfe, 0xe4, 0x00), 'ä'],
  ])('reads %s', async (_, blob, text) => {
    expect(await readText(blob)).toBe(text);
  });

  it('does not guess an old encoding, and reads it if told', async () => {
    const latin = file(0x4a, 0xfc, 0x72, 0x67);
    await expect(readText(latin)).rejects.toMatchObject({ problem: 'notUtf8' });
    expect(await readText(latin, 'windows-1252')).toBe('Jürg');
    expect(await readText(file(0xf9, 0xec, 0xe5, 0xed), 'windows-1255')).toBe('שלום');
    expect(await readText(file(0xc6, 0xe0, 0xed, 0xed, 0xe0), 'windows-1251')).toBe('Жанна');
    expect(await readText(file(0xf6, 0xc1, 0xce, 0xce, 0xc1), 'koi8-r')).toBe('Жанна');
  });

  it('refuses what is no text, and what is too large', async () => {
    await expect(readText(file(0x50, 0x4b, 0x03, 0x04))).rejects.toMatchObject({ problem: 'noText' });
    await expect(readText(file(0x61, 0x00, 0x62))).rejects.toMatchObject({ problem: 'noText' });
    await expect(readText(new Blob([new Uint8Array(20_000_001)]))).rejects.toMatchObject({
      problem: 'tooLarge',
    });
  });
});
