import { Types } from 'mongoose';
import { sizeOf } from '../../messages/text/segments';
import { readWords } from '../words/read-words';
import { CONSENT_LANGUAGES, KEYWORD_MEANINGS } from '../words/languages/word-list';
import { changesState, isAnswerable } from './auto-reply-rules';
import { autoReplyText, replyLanguage } from './auto-reply-texts';

const OWNER = { senderName: 'Bike Shop', contact: '+44 20 7946 0000' };
const TEXTS = CONSENT_LANGUAGES.flatMap((language) =>
  KEYWORD_MEANINGS.map((meaning) => autoReplyText(meaning, language, OWNER)),
);

describe('automatic replies', () => {
  it('are no keywords, and hold nobody, at the gateway of somebody else', () => {
    expect(TEXTS.filter((text) => readWords(text) !== undefined)).toEqual([]);
  });

  it('are one SMS each, and say who writes', () => {
    for (const text of TEXTS) {
      expect([text, sizeOf(text)]).toEqual([
        text,
        expect.objectContaining({ segments: 1, encoding: 'GSM-7' }),
      ]);
      expect(text).toContain(OWNER.senderName);
    }
  });

  it.each([
    ['STOPP', 'out', '+447700900123', undefined, 'de'],
    ['STOP', 'out', '+4915112345678', undefined, 'de'],
    ['STOP', 'out', '+525512345678', undefined, 'es'],
    ['STOP', 'out', '+97150123456', undefined, 'en'],
    ['STOP', 'out', '+4915112345678', ['fr', 'es'], 'fr'],
    ['Parar', 'out', '+5511987654321', undefined, 'pt'],
    ['Parar', 'out', '+34612345678', undefined, 'es'],
    ['Aide', 'help', '+4915112345678', undefined, 'fr'],
    ['STOP', 'out', '+4915112345678', [], 'en'],
  ] as const)(
    '%s (%s) of %s with the languages %j is answered in %s',
    (text, meaning, number, languages, is) => {
      expect(replyLanguage(text, meaning, number, { languages })).toBe(is);
    },
  );

  it.each([
    ['+447700900123', true],
    ['12345', false],
    ['0170123456', false],
    ['Bank', false],
    ['+12', false],
  ])('go to %s: %s', (number, is) => {
    expect(isAnswerable(number)).toBe(is);
  });
});

describe('changesState', () => {
  const record = (state: 'out' | 'held' | 'in', minute: number, topic = '') => ({
    _id: new Types.ObjectId(),
    ...{ state, topic },
    at: new Date(minute * 60_000),
  });
  const changes = (...records: ReturnType<typeof record>[]) =>
    changesState(records[0] ?? record('in', 0), records);

  it('is true for what blocks, and for what lifts a block', () => {
    expect(changes(record('out', 1))).toBe(true);
    expect(changes(record('out', 2), record('held', 1))).toBe(true);
    expect(changes(record('out', 3), record('in', 2), record('out', 1))).toBe(true);
    expect(changes(record('out', 2, 'offers'), record('out', 1, 'news'))).toBe(true);
    expect(changes(record('in', 2), record('out', 1))).toBe(true);
    expect(changes(record('in', 2), record('held', 1))).toBe(true);
  });

  it('is false for a repetition, and for a decision that is older than the last one', () => {
    expect(changes(record('out', 2), record('out', 1))).toBe(false);
    expect(changes(record('out', 2, 'offers'), record('out', 1))).toBe(false);
    expect(changes(record('in', 1))).toBe(false);
    expect(changes(record('in', 2), record('in', 1))).toBe(false);
    expect(changes(record('in', 1), record('out', 1))).toBe(false);
    const older = record('out', 1);
    expect(changesState(older, [record('in', 2), older])).toBe(false);
    expect(changesState(older, [])).toBe(false);
  });
});
