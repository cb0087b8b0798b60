import { fillRows, idempotencyKeyOf, isTemplate, lineOf, messagesOf, readTemplate } from './campaign-rows';
import type { Country } from '../../../../src/common/peer-number';
import { readTable } from './csv-table';

const fill = (csv: string, text: string, keepsRepeats = false, country?: Country) => {
  const table = readTable(csv, true);
  const template = readTemplate(text, table.columns);
  if (!isTemplate(template)) throw new Error(template.problem);
  return fillRows(table, 0, template, keepsRepeats, country);
};

describe('the messages of a campaign', () => {
  it('have the values of their row as they are, with parts and encoding', () => {
    expect(fill('phone,Name\n+491511,{{name}} $&\n+491512,Жанна', 'Hi {{ name }}, {name}')).toEqual([
      { line: 2, number: '+491511', text: 'Hi {{name}} $&, {{name}} $&', parts: 1, encoding: 'GSM-7' },
      { line: 3, number: '+491512', text: 'Hi Жанна, Жанна', parts: 1, encoding: 'UCS-2' },
    ]);
  });

  it.each([
    ['x,Ada', { reason: 'number', value: 'x' }],
    ['"=cmd|\'/c calc\'!A1",Ada', { reason: 'number', value: "=cmd|'/c calc'!A1" }],
    ['4.47E+11,Ada', { reason: 'scientific', value: '4.47E+11' }],
    ['447700900123.0,Ada', { reason: 'decimal', value: '447700900123.0' }],
    ['+44 7700 900123 / 124,Ada', { reason: 'several', value: '+44 7700 900123 / 124' }],
    ['12.03.2026,Ada', { reason: 'date', value: '12.03.2026' }],
    ['192.168.1.10,Ada', { reason: 'ipAddress', value: '192.168.1.10' }],
    ['+39 (0)345 1234567,Ada', { reason: 'nationalPrefix', value: '+39 (0)345 1234567' }],
    [',Ada', { reason: 'number', value: '' }],
    ['+491511,', { reason: 'missing', columns: 'name' }],
    ['+491511', { reason: 'columns', found: 1, expected: 2 }],
    ['+491511,Ada,more', { reason: 'columns', found: 3, expected: 2 }],
    [`+491511,${'x'.repeat(1_598)}`, { reason: 'tooLong', length: 1_601 }],
  ])('are not made of %s', (row, refusal) => {
    expect(fill(`phone,name\n${row}`, 'Hi {{name}}')[0]?.refusal).toEqual(refusal);
  });

  it('may have 1,600 characters, however many code units these are', () => {
    expect(fill(`phone,name\n+491511,${'😀'.repeat(1_597)}`, 'Hi {{name}}')[0]?.refusal).toBeUndefined();
  });

  it('leave out the same text to the same number, unless it is wanted', () => {
    const csv = 'phone,name\n+49 1511,Ada\n+491511,Bob\n+491511,Ada';
    expect(fill(csv, 'Hi {{name}}').map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      { reason: 'repeated', line: 2 },
    ]);
    expect(fill(csv, 'Hi {{name}}', true).every(({ refusal }) => !refusal)).toBe(true);
  });

  it('go once to a person whose number is written in different ways', () => {
    const csv = 'phone\n+44 7700 900123\n07700 900123\n447700900123\n0044 7700 900123\n07700 900124';
    const repeats = (country?: Country) =>
      fill(csv, 'Hi', false, country).map(({ refusal }) => refusal?.reason === 'repeated' && refusal.line);
    expect(repeats('GB')).toEqual([false, 2, 2, 2, false]);
    // Without a country, a national number is another one.
    expect(repeats()).toEqual([false, false, 2, 2, false]);
  });

  it('are one entry for each text, whose fields lead back to their lines', () => {
    const rows = fill('phone,name\n+491511,Ada\nbad,Bob\n+491512,Ada\n+491513,Cy', 'Hi {{name}}');
    const { messages, lines } = messagesOf(rows, { simSubscriptionId: 1 });
    expect(messages).toEqual([
      { message: 'Hi Ada', recipients: ['+491511', '+491512'], simSubscriptionId: 1 },
      { message: 'Hi Cy', recipients: ['+491513'], simSubscriptionId: 1 },
    ]);
    expect(
      ['messages.0.recipients.1', 'messages.1.message', 'messages.9', 'validUntil'].map((field) =>
        lineOf(field, lines),
      ),
    ).toEqual([4, 5, undefined, undefined]);
  });
});

it.each([
  ['Hi {name', { problem: 'braces' }],
  ['Hi {{who}}', { problem: 'unknownColumn', column: 'who' }],
  ['Hi {{name}}', { problem: 'ambiguousColumn', column: 'name' }],
])('the text %s is refused', (text, problem) => {
  expect(readTemplate(text, ['phone', 'name', 'NAME'])).toEqual(problem);
});

describe('the idempotency key', () => {
  const entries = (message: string, recipient: string) => [{ message, recipients: [recipient] }];

  it('is the same for the same messages, whenever they go out, and another for others', () => {
    const key = idempotencyKeyOf(entries('Hi', '+491511'), '');
    const later = entries('Hi', '+491511').map((entry) => ({
      ...entry,
      scheduledAt: '2027-01-01T00:00:00Z',
    }));
    expect(idempotencyKeyOf(later, '')).toBe(key);
    const keys = [
      key,
      idempotencyKeyOf(entries('Ho', '+491511'), ''),
      idempotencyKeyOf(entries('Hi', '+491512'), ''),
      idempotencyKeyOf(entries('Hi', '+491511'), 'again'),
    ];
    expect(new Set(keys).size).toBe(4);
    for (const each of keys) expect(each).toMatch(/^campaign-[0-9a-f]{28}$/);
  });
});
