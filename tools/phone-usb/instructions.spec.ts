import { instructions } from './instructions';

const ADDRESS = 'http://127.0.0.1:3000/sms';

describe('what phone:usb tells to type', () => {
  it('the address on the phone itself, the channel and the code, after what is left to do', () => {
    const text = instructions({ address: ADDRESS, digits: '4839 201 756', leftToDo: ['Allow the app SMS'] });
    expect(text.match(/^ {2}\d\. .*$/gm)).toEqual([
      '  1. Allow the app SMS',
      '  2. Settings → Cloud Server → API URL: http://127.0.0.1:3000/sms',
      '  3. On the same page, Notification channel: SSE Only',
      '  4. Home → Cloud server on → tap Offline → By Code: 4839 201 756',
    ]);
    expect(text).toContain('valid for ten minutes');
  });

  it('where the code is, if none could be created', () => {
    const text = instructions({ address: ADDRESS, digits: undefined, leftToDo: [] });
    expect(text).toContain(`API URL: ${ADDRESS}\n`);
    expect(text).toContain('By Code: the one of Phones → Pair a phone in the dashboard');
    expect(text).not.toContain('valid for');
  });
});
