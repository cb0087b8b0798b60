import { createHash } from 'node:crypto';
import { parseUpload, resolveTimestamps } from './incoming-sms-upload';

const NOW = new Date('2026-01-31T12:00:00Z');
const AT = new Date('2026-01-31T11:00:00Z');
const parse = (fields: object) => parseUpload({ sender: '+447700900123', message: 'Hello', ...fields }, NOW);
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('parseUpload', () => {
  it.each([
    ['milliseconds', { receivedAtInMillis: AT.getTime() }],
    ['milliseconds as text, as in every form', { receivedAtInMillis: String(AT.getTime()) }],
    ['ISO 8601', { receivedAt: AT.toISOString() }],
    ['ISO 8601 beside a zero', { receivedAtInMillis: 0, receivedAt: AT.toISOString() }],
    ['ISO 8601 beside a zero of a form', { receivedAtInMillis: '0', receivedAt: AT.toISOString() }],
    ['ISO 8601 in the field for milliseconds', { receivedAtInMillis: AT.toISOString() }],
  ])('reads a time as %s, and recognises the same upload by it', (_, fields) => {
    const sms = parse(fields);
    expect(sms).toMatchObject({
      receivedAt: AT,
      fingerprint: md5(`+447700900123|Hello|${AT.getTime()}`),
    });
    expect(sms).not.toHaveProperty('repairedFields');
  });

  it.each([
    ['1970', 86_400_000, '86400000'],
    ['1980', Date.UTC(1980, 0, 6), String(Date.UTC(1980, 0, 6))],
    ['seconds for milliseconds', AT.getTime() / 1_000, String(AT.getTime() / 1_000)],
    ['the year 275760', 8.64e15, '8640000000000000'],
    ['two days ahead', NOW.getTime() + 2 * 86_400_000, String(NOW.getTime() + 2 * 86_400_000)],
    ['a time before 1970', -1, '-1'],
    ['a number out of range', 1e300, '1e+300'],
    ['no time at all', 'yesterday', 'yesterday'],
  ])(
    'replaces an impossible time by that of the upload, but not in what identifies it: %s',
    (_, time, asSent) => {
      expect(parse({ receivedAtInMillis: time })).toEqual({
        sender: '+447700900123',
        message: 'Hello',
        receivedAt: NOW,
        fingerprint: md5(`+447700900123|Hello|${asSent}`),
        repairedFields: ['receivedAt'],
      });
    },
  );

  it('uses the other time if one is impossible', () => {
    const sms = parse({ receivedAtInMillis: AT.getTime() / 1_000, receivedAt: AT.toISOString() });
    expect(sms).toMatchObject({ receivedAt: AT });
    expect(sms).not.toHaveProperty('repairedFields');
  });

  it('takes an absent time for that of the upload', () => {
    for (const fields of [{}, { receivedAtInMillis: 0 }, { receivedAtInMillis: '0', receivedAt: '' }]) {
      expect(parse(fields)).toMatchObject({ receivedAt: NOW });
      expect(parse(fields)).not.toHaveProperty('repairedFields');
    }
  });

  it.each([
    ['absent', undefined, 'unknown'],
    ['empty', '', 'unknown'],
    ['null', null, 'unknown'],
    ['an object', {}, 'unknown'],
    ['a number', 491511234567, '491511234567'],
    ['a short code as number', 0, '0'],
    ['a boolean', false, 'false'],
    ['a list', ['+4930'], '+4930'],
  ])('keeps the text if the sender is %s', (_, sender, stored) => {
    expect(parse({ sender })).toMatchObject({
      sender: stored,
      message: 'Hello',
      repairedFields: ['sender'],
    });
  });

  it.each([
    ['a number', 123456, '123456'],
    ['zero', 0, '0'],
    ['a boolean', true, 'true'],
    ['the parts of a text', ['Hel', 'lo'], 'Hello'],
  ])('keeps a text that is %s', (_, message, stored) => {
    expect(parse({ message })).toMatchObject({ message: stored, repairedFields: ['message'] });
  });

  it('keeps everything that can be read if all is odd', () => {
    expect(parse({ sender: null, message: 42, receivedAtInMillis: 'never' })).toMatchObject({
      sender: 'unknown',
      message: '42',
      receivedAt: NOW,
      repairedFields: ['sender', 'message', 'receivedAt'],
    });
  });

  it.each([undefined, '', null, {}, []])('ignores an upload without a text: %p', (message) => {
    expect(parse({ message })).toEqual({ reason: 'The message has no text' });
  });

  it.each([
    ['as documented', { encrypted: true }],
    ['in a form', { encrypted: 'true' }],
    ['as a number', { encrypted: 1 }],
    ['without saying so, and without another text', { message: '' }],
  ])('keeps an encrypted text %s', (_, fields) => {
    expect(parse({ encryptedMessage: 'v1:abc', ...fields })).toMatchObject({
      message: '',
      encrypted: true,
      encryptedMessage: 'v1:abc',
    });
  });

  it('keeps the plain text if the phone says that the message is not encrypted', () => {
    for (const encrypted of [false, 'false', 0, undefined])
      expect(parse({ encrypted, encryptedMessage: 'v1:abc' })).toMatchObject({ message: 'Hello' });
  });
});

describe('resolveTimestamps', () => {
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

  it.each([
    [0, false, true],
    [-5, false, true],
    [24, false, true],
    [25, true, true],
    [48, true, true],
    [49, true, false],
  ])('of a message received %i hours ago', (hours, isLate, raisesEvent) => {
    const receivedAt = hoursAgo(hours);
    expect(resolveTimestamps(receivedAt, NOW)).toEqual({
      raisesEvent,
      ...(isLate ? { createdAt: receivedAt, originalCreatedAt: NOW } : { createdAt: NOW }),
    });
  });
});
