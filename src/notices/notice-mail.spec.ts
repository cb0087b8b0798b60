import { noticeMail } from './notice-mail';

const AT = new Date('2026-01-31T12:00:00Z');
const phone = (name: string) => ({ topic: 'phoneOffline', name, at: AT, since: AT }) as const;

describe('noticeMail', () => {
  it('tells what happened, since when, and what to do', () => {
    const { subject, text } = noticeMail('Ada', [phone('Front desk')], {
      dashboard: 'https://sms.example.com/dashboard/account',
      isLastOfDay: false,
    });
    expect(subject).toBe('Front desk cannot be reached');
    expect(text).toBe(`Hello Ada,

Front desk cannot be reached.
- Front desk, since 2026-01-31 12:00 UTC
Messages to send wait for the phone. Check that it is switched on and has internet, and that its app is open.

You can switch these mails off in the dashboard, under Account: https://sms.example.com/dashboard/account.

`);
  });

  it('is one digest for many, whose length is bounded', () => {
    const phones = Array.from({ length: 1_000 }, (_, index) => phone(`Phone ${index}`));
    const webhook = { topic: 'webhookPaused', name: '"Orders"', at: AT, detail: 'answered 410' } as const;
    const { subject, text } = noticeMail('Ada', [webhook, ...phones], { isLastOfDay: true });
    expect(subject).toBe('1000 phones cannot be reached, and more');
    expect(text.match(/^- Phone \d+,/gm)).toHaveLength(20);
    expect(text).toContain('- and 980 more\n');
    expect(text).toContain('- "Orders", at 2026-01-31 12:00 UTC: answered 410\n');
    expect(text).toContain('the last mail of today');
  });

  it('cannot be forged by a name', () => {
    const { subject, text } = noticeMail('Ada', [phone('x\r\nBcc: eve@example.com')], { isLastOfDay: false });
    expect(`${subject}${text}`).not.toMatch(/\r|^Bcc/m);
  });
});
