import { ValidationFailed } from '../../common/errors';
import type { SendOptionsInput } from '../dto/send-options.request';
import { validateSend } from './send-validation';

const NOW = new Date('2026-01-31T09:00:00Z');
const DAY = 86_400_000;
const inMs = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const ENTRY = { message: 'Hello', recipients: ['+4915112345678'] };

function fieldsOf(options: SendOptionsInput, scheduledAt?: string): string[] {
  const entries = [ENTRY, { ...ENTRY, scheduledAt }];
  try {
    validateSend({ entries, entriesField: 'messages', options }, NOW);
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
  ])('refuses %s, naming the field', (_, options, scheduledAt, fields) => {
    expect(fieldsOf(options, scheduledAt)).toEqual(fields);
  });

  it('counts validForSeconds from the time at which each entry is due', () => {
    const entries = [ENTRY, { ...ENTRY, scheduledAt: inMs(DAY) }];
    const send = validateSend({ entries, entriesField: 'messages', options: { validForSeconds: 60 } }, NOW);
    expect(send.entries.map(({ validUntil }) => validUntil?.toISOString())).toEqual([
      inMs(60_000),
      inMs(DAY + 60_000),
    ]);
    expect(send).not.toHaveProperty('priority');
  });
});
