import { Types } from 'mongoose';
import { parseCommand, UsageError } from './admin-command';

const parse = (line: string, isTerminal = false) => parseCommand(line.split(' ').filter(Boolean), isTerminal);

describe('the command line of the operator', () => {
  it.each([
    ['account create Me@example.com', { kind: 'account create', email: 'me@example.com' }],
    [
      'account create me@example.com --name Ada --plan pro',
      { kind: 'account create', email: 'me@example.com', name: 'Ada', plan: 'pro' },
    ],
    ['account plan me@example.com free', { kind: 'account plan', email: 'me@example.com', plan: 'free' }],
    ['account list', { kind: 'account list' }],
    [
      'key create --name Office me@example.com',
      { kind: 'key create', email: 'me@example.com', name: 'Office', qr: false },
    ],
    ['key create me@example.com --qr', { kind: 'key create', email: 'me@example.com', qr: true }],
    ['key create', { kind: 'key create', qr: false }],
    ['key list', { kind: 'key list' }],
    ['key revoke mgw_abcd', { kind: 'key revoke', key: 'mgw_abcd' }],
    ['key revoke mgw_abcd Me@example.com', { kind: 'key revoke', key: 'mgw_abcd', email: 'me@example.com' }],
    [
      'device disable 0123456789abcdef01234567',
      { kind: 'device disable', id: new Types.ObjectId('0123456789abcdef01234567') },
    ],
    ['device list', { kind: 'device list' }],
    ['device list me@example.com', { kind: 'device list', email: 'me@example.com' }],
    ['secrets rotate', { kind: 'secrets rotate' }],
    ['upkeep now', { kind: 'upkeep now' }],
  ])('%s', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it('shows a QR code on a terminal without being asked', () => {
    expect(parse('key create me@example.com', true)).toMatchObject({ qr: true });
  });

  it.each([
    ['', 'Usage'],
    ['account', 'There is no command account'],
    ['account remove me@example.com', 'There is no command'],
    ['account create', 'e-mail address'],
    ['account create me', 'me is not an e-mail address'],
    ['account plan me@example.com', 'Which plan'],
    ['account list everything', 'One word too many: everything'],
    ['key create me@example.com Office', 'One word too many: Office'],
    ['key revoke', 'Which key?'],
    ['key revoke mgw_abcd me', 'me is not an e-mail address'],
    ['device disable', 'Which phone?'],
    ['device disable Kitchen', 'Which phone?'],
    ['secrets', 'There is no command secrets'],
    ['secrets rotate now', 'One word too many: now'],
    ['upkeep', 'There is no command upkeep'],
    ['account list --force', '--force'],
    ['key create me@example.com --name', '--name'],
  ])('not "%s"', (line, reason) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(reason);
  });
});
