import { readTable } from './csv-table';
import { toTable } from './list-table';

describe('the table of a list of contacts', () => {
  it('has a column for each field that a member has', () => {
    const numbers = (number: string) => [{ number, peerNumber: number }];
    const text = toTable([
      { name: 'Ana, "A"', numbers: numbers('+447700900123'), fields: { city: 'Leeds', Name: 'x' } },
      { name: '', numbers: numbers('+447700900124'), fields: { plan: 'gold' } },
    ]);
    const table = readTable(text);
    expect([table.columns, table.hasHeader]).toEqual([['number', 'name', 'city', 'plan'], true]);
    expect(table.rows.map(({ fields }) => fields)).toEqual([
      ['+447700900123', 'Ana, "A"', 'Leeds', ''],
      ['+447700900124', '', '', 'gold'],
    ]);
  });
});
