import { DEFAULT_NOTICE_SETTINGS } from './notice-topic';
import { MAX_MAILS_PER_DAY, nextMailAt, retryDelayMs, settingsOf, tellAt } from './notice-rules';

const NOW = new Date('2026-01-31T12:00:00Z');
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

describe('the rules of notices', () => {
  it.each([
    ['phoneOffline', 'N minutes after the phone was last there', inMinutes(-2), inMinutes(13)],
    ['phoneBack', 'ten minutes after it came back', undefined, inMinutes(10)],
    ['simUnhealthy', 'at once', inMinutes(-2), NOW],
    ['webhookPaused', 'at once', undefined, NOW],
    ['planNearlyUsed', 'at once', undefined, NOW],
  ] as const)('tell %s %s', (topic, _, since, expected) => {
    const settings = settingsOf({ settings: { offlineAfterMinutes: 15 } });
    expect(tellAt({ topic, at: NOW, since }, settings)).toEqual(expected);
  });

  it('have a default for each setting', () => {
    expect(settingsOf({})).toEqual(DEFAULT_NOTICE_SETTINGS);
    expect(settingsOf({ settings: { phoneBack: false } })).toEqual({
      ...DEFAULT_NOTICE_SETTINGS,
      phoneBack: false,
    });
  });

  it.each([
    ['of an account without any', {}, NOW],
    ['after a mail', { lastMail: { at: inMinutes(-4), result: 'sent' as const } }, inMinutes(6)],
    ['long after a mail', { lastMail: { at: inMinutes(-40), result: 'sent' as const } }, NOW],
    [
      'while another one is sent',
      {
        outgoing: { id: undefined as never, subject: '', text: '', composedAt: NOW, attempts: 0 },
        attemptDueAt: inMinutes(2),
      },
      inMinutes(3),
    ],
    [
      'after the last one of a day',
      { composed: { day: '2026-01-31', count: MAX_MAILS_PER_DAY } },
      new Date('2026-02-01T00:00:00Z'),
    ],
    ['after those of another day', { composed: { day: '2026-01-30', count: MAX_MAILS_PER_DAY } }, NOW],
  ])('allow a mail %s', (_, account, expected) => {
    expect(nextMailAt(account, NOW)).toEqual(expected);
  });

  it('repeat a mail after 1, 2, 4 minutes and so on, and then each hour', () => {
    const minutes = [1, 2, 3, 6, 7, 30].map((attempts) => retryDelayMs(attempts) / 60_000);
    expect(minutes).toEqual([1, 2, 4, 32, 60, 60]);
  });
});
