import { mongo } from 'mongoose';
import { formatError, formatErrorWithStack } from './format-error';

describe('formatError', () => {
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch (failure) {
      return failure;
    }
  };

  it.each<[unknown, string]>([
    [
      new TypeError("Cannot read properties of undefined (reading 'user')"),
      "TypeError: Cannot read properties of undefined (reading 'user')",
    ],
    [new Error('connect ECONNREFUSED 127.0.0.1:27017'), 'Error: connect ECONNREFUSED 127.0.0.1:27017'],
    [
      new mongo.MongoServerError({
        message:
          'E11000 duplicate key error collection: a.devices index: serial dup key: { serial: "HT7{A" }',
      }),
      'MongoServerError: E11000 duplicate key error collection: a.devices index: serial dup key: {…}',
    ],
    [
      new Error('Cast to string failed for value "Your\ncode is 1" at path "x"'),
      'Error: Cast to string failed for value "…" at path "…"',
    ],
    ['text\nand more', 'NonError: text and more'],
  ])('%s', (failure, line) => {
    expect(formatError(failure)).toBe(line);
  });

  it('redacts the text that a parser quotes', () => {
    expect(formatError(parse('Your code is 123456'))).not.toContain('code');
  });

  it('appends the stack', () => {
    const [line, first] = formatErrorWithStack(new Error('It said "no"\n    and more')).split('\n');
    expect(line).toBe('Error: It said "…" and more');
    expect(first).toContain('format-error.spec');
  });
});
