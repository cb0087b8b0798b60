import { ValidationFailed } from '../../common/errors';
import type { SendOptionsInput } from './send-input';
import { validateSend } from './send-validation';

const NOW = new Date('2026-01-31T09:00:00Z');
const DAY = 86_400_000;
const inMs = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const ENTRY = { message: 'Hello', recipients: ['+4915112345678'] };

async function fieldsOf(options: SendOptionsInput, scheduledAt?: string): Promise<string[]> {
  const entries = [ENTRY, { ...ENTRY, scheduledAt }];
  try {
    await validateSend({ entries, entriesField: 'messages', options }, NOW);
    return [];
  } catch (failure) {
    if (!(failure instanceof ValidationFailed)) throw failure;
    return failure.details.map(({ field }) => field);
  }
}

describe('validateSend', () => {
  it.each<[string, SendOptionsInput, string | undefined, string[]]>([
    ['a deadline without a zone', { validUntil: '2026-02-01T09:00:00' }, undefined, ['validUntil']],
    ['a deadline in the past', { validUntil: inMs(0) }, undefined, ['validUntil']],
    ['a deadline too far ahead', { validUntil: inMs(60 * DAY + 1) }, undefined, ['validUntil']],
    ['two deadlines', { validUntil: inMs(1_000), validForSeconds: 60 }, undefined, ['validForSeconds']],
    ['a deadline at the due time', { validUntil: inMs(DAY) }, inMs(DAY), ['messages.1.scheduledAt']],
    ['no quiet hour', { quietHours: { from: '08:00', to: '08:00' } }, undefined, ['quietHours.to']],
    ['a late deadline', { validUntil: inMs(60 * DAY) }, inMs(30 * DAY), []],
  ])('refuses %s, naming the field', async (_, options, scheduledAt, fields) => {
    expect(await fieldsOf(options, scheduledAt)).toEqual(fields);
  });

  it('names each recipient that is not one number, and what to do', async () => {
    const bad = [
      '447700900123.0',
      '+44 7700 900123 / 124',
      '12.03.2026',
      '192.168.1.10',
      '4.47E+11',
      447700900123,
      null,
    ];
    const recipients = ['+44 07700 900123', ...bad];
    const entries = [ENTRY, { message: 'Hello', recipients }];
    await expect(validateSend({ entries, entriesField: 'messages' }, NOW)).rejects.toMatchObject({
      details: [
        /^messages\.1\.recipients\.1 "447700900123\.0" is a decimal number: remove/,
        /^messages\.1\.recipients\.2 "\+44 7700 900123 \/ 124" looks like several numbers/,
        /^messages\.1\.recipients\.3 "12\.03\.2026" looks like a date/,
        /^messages\.1\.recipients\.4 "192\.168\.1\.10" looks like an IP address/,
        /^messages\.1\.recipients\.5 "4\.47E\+11" is a number that a spreadsheet shortened: format/,
        /^messages\.1\.recipients\.6 447700900123 must be text: write the number in quotes/,
        /^messages\.1\.recipients\.7 must be a phone number as text/,
      ].map((message) => ({ message: expect.stringMatching(message) as string })),
    });
    const good = await validateSend({ entries: [{ ...ENTRY, recipients: recipients.slice(0, 1) }] }, NOW);
    expect(good.entries).toMatchObject([{ recipients: ['+447700900123'] }]);
  });

  it('counts validForSeconds from the time at which each entry is due', async () => {
    const entries = [ENTRY, { ...ENTRY, scheduledAt: inMs(DAY) }];
    const send = await validateSend(
      { entries, entriesField: 'messages', options: { validForSeconds: 60 } },
      NOW,
    );
    expect(send.entries.map(({ validUntil }) => validUntil?.toISOString())).toEqual([
      inMs(60_000),
      inMs(DAY + 60_000),
    ]);
    expect(send).not.toHaveProperty('priority');
  });
});
