import { relativeValidity } from './relative-validity';
import { smsdConfigOf } from './smsd-config';
import { reasonInLog } from './smsd-log';

const CONFIG = `
[gammu]
device = /dev/ttyUSB2
# service = files
[SMSD]
Service = sql
driver = sqlite3
dbdir = /var/lib/modem/
database = smsd.db
PhoneID = SIM1
statusfrequency = 5
commtimeout = 10
; a comment
logfile = /var/log/smsd.log
`;

describe('the configuration of gammu-smsd', () => {
  it('tells the database, the phone and when the daemon is dead', () => {
    expect(smsdConfigOf(CONFIG, 'smsdrc')).toEqual({
      database: '/var/lib/modem/smsd.db',
      phoneId: 'SIM1',
      logFile: '/var/log/smsd.log',
      silenceMs: 30_000,
      lockSeconds: 60,
    });
  });

  it.each([
    ['service = sql', 'service = files', 'must have "service = sql"'],
    ['driver = sqlite3', 'driver = native_mysql', '"driver = sqlite3"'],
    ['dbdir = /var/lib/modem/', '', 'must have "dbdir"'],
  ])('is refused with %s -> %s', (line, other, problem) => {
    expect(() => smsdConfigOf(CONFIG.replace(new RegExp(line, 'i'), other), 'smsdrc')).toThrow(problem);
  });
});

describe('the log of gammu-smsd', () => {
  it.each([
    ["gammu: Error opening device, it doesn't exist. (DEVICENOTEXIST[4])", 'not plugged in'],
    [
      "Error opening device, you don't have the required permission. (DEVICENOPERMISSION[6])",
      'group dialout',
    ],
    ['Security error. Maybe no PIN? (SECURITYERROR[24])', 'asks for its PIN'],
    ['Can not access SIM card. (NOSIM[57])', 'has no SIM'],
    ['No response in specified timeout. Probably phone not connected. (TIMEOUT[14])', 'does not answer'],
    ['Error opening device, it is locked. (DEVICELOCKED[3])', 'another program'],
  ])('tells why there is no modem: %s', (line, reason) => {
    expect(reasonInLog(`Starting phone communication...\n${line}\nAlready hit 250 errors\n`)).toContain(
      reason,
    );
  });

  it('tells the last reason, and none without one', () => {
    expect(reasonInLog('DEVICENOTEXIST\nSecurity error. Maybe no PIN?\n')).toContain('PIN');
    expect(reasonInLog('Starting phone communication...\n')).toBeUndefined();
  });
});

describe('the validity of a message', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const MINUTE = 60_000;

  it.each([
    [-1, 0],
    [5, 0],
    [61, 11],
    [720, 143],
    [765, 144],
    [1_440, 167],
    [2 * 1_440, 168],
    [30.5 * 1_440, 196],
    [35 * 1_440, 197],
    [1_000_000, 255],
  ])('of %d minutes is %d', (minutes, value) => {
    expect(relativeValidity(new Date(now + minutes * MINUTE).toISOString(), now)).toBe(value);
  });

  it('is left to the network without a deadline', () => {
    expect(relativeValidity(undefined, now)).toBeUndefined();
  });
});
