import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import de from '../i18n/errors/de';
import { ERROR_CODES, FIELD_PROBLEMS } from '../i18n/errors/error-texts';
import es from '../i18n/errors/es';
import { type ErrorBody, translateError } from './translate-error';

/** Errors that only phones and programs get. */
const NOT_OF_PEOPLE = [
  'KEY_BOUND',
  'MALFORMED_BODY',
  'NOT_A_STREAM_DEVICE',
  'NOT_FOUND',
  'PAIRING_CODE_INVALID',
  'PAIRING_CODE_NOT_FOUND',
  'RECEPTION_LIMITED',
  'REGISTRATIONS_BUSY',
  'SERIAL_TAKEN',
  'SESSION_REQUIRED',
];

const examples = [
  ...readFileSync(join(__dirname, '..', '..', '..', 'openapi.json'), 'utf8').matchAll(
    /`([A-Z_]{4,})`: ([^`\\"]+)/g,
  ),
].map(([, code = '', text = '']) => ({ code, text }));

const failure = (...problems: string[]): ErrorBody => ({
  code: 'VALIDATION_FAILED',
  message: problems.map((problem) => `name ${problem}`).join('; '),
  details: problems.map((problem) => ({ field: 'name', message: `name ${problem}` })),
});

describe('the errors of the API in another language', () => {
  it('have a text for each code that people meet', () => {
    const codes = new Set(examples.map(({ code }) => code));
    expect(codes.size).toBeGreaterThan(50);
    const known = [...ERROR_CODES, ...NOT_OF_PEOPLE, 'PLAN_LIMIT_REACHED', 'VALIDATION_FAILED'];
    expect([...codes].filter((code) => !known.some((each) => each === code))).toEqual([]);
    for (const { code, text } of examples.filter(({ code }) => ERROR_CODES.some((each) => each === code)))
      for (const texts of [de, es]) {
        const { message } = translateError({ code, message: text }, texts);
        expect([code, message]).toEqual([code, expect.stringMatching(/^\p{Lu}.*\.$/u)]);
        expect(message).not.toBe(text);
      }
  });

  it('have one for each rule of a field that the API documents, but those of programs', () => {
    const problems = examples
      .filter(({ code }) => code === 'VALIDATION_FAILED')
      .map(({ text }) => text.trim())
      .filter((text) => /^\S+ (must|should|is|cannot)/.test(text));
    const left = problems.filter((text) => {
      const [field = ''] = text.split(' ');
      const body = { code: 'VALIDATION_FAILED', message: text, details: [{ field, message: text }] };
      return translateError(body, de).details?.[0]?.message === text;
    });
    expect([...new Set(left)].sort()).toEqual([
      'column must be name, number, tags or another target',
      'contactIds must be a list of valid ids',
      'cursor is not a nextCursor of this list; begin again without one',
      'cursor is not the nextCursor of a page of contacts',
      'messageIds must be given, or fromDeviceId, not both',
      'numbers must be an array',
      'simInfo.sims must be an array',
      'smsIds must be an array',
      'through is not a message received in this conversation',
    ]);
  });

  it('say what is wrong with each field, with its values, and how many more there are', () => {
    const body = failure('must be shorter than or equal to 64 characters', 'is odd');
    expect(translateError({ ...body, message: `${body.message}; and 27 more` }, de)).toMatchObject({
      message: 'name: Höchstens 64 Zeichen sind möglich; name is odd; und 27 weitere',
      details: [
        { field: 'name', message: 'Höchstens 64 Zeichen sind möglich' },
        { field: 'name', message: 'name is odd' },
      ],
    });
    expect(translateError(failure('cannot be used: this is not a public address'), es).message).toBe(
      'name: Esta dirección no es pública',
    );
  });

  it('say what is left of the plan', () => {
    const body = { code: 'PLAN_LIMIT_REACHED', limit: 'daily', dailyLimit: 50, dailyRemaining: 20 };
    expect(translateError(body, de).message).toBe(
      'Der Plan erlaubt 50 Nachrichten am Tag; 20 sind an diesem Tag übrig, und dieser Versand braucht mehr.',
    );
  });

  it('stay as they are if they are not known', () => {
    const body = { code: 'OF_LATER_VERSION', message: 'Something new' };
    expect(translateError(body, de)).toBe(body);
  });

  it.each(Object.entries({ de, es }))('have the values of each problem in %s', (_, { fields }) => {
    for (const [name, pattern] of Object.entries(FIELD_PROBLEMS)) {
      const hasValue = /\((?!\?)/.test(pattern.source);
      const text = fields[name as keyof typeof FIELD_PROBLEMS];
      if (text.includes('{}')) expect([name, hasValue]).toEqual([name, true]);
    }
  });
});
