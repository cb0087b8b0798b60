import { startMessage } from './start-message';

const STARTED = {
  status: 200,
  waitedMs: 30_000,
  url: 'http://127.0.0.1:3000',
  urlForPhones: 'http://192.0.2.7:3000',
  keyFile: '/home/me/.cache/messaging-gateway/api-key',
};

describe('what npm start tells', () => {
  it('how to send, where the calls are to be tried, and what the app wants', () => {
    const message = startMessage(STARTED);
    expect(message).toContain('curl http://127.0.0.1:3000/api/v1/gateway/send-sms');
    expect(message).toContain('"x-api-key: $(cat /home/me/.cache/messaging-gateway/api-key)"');
    expect(message).toContain('http://127.0.0.1:3000/docs\n');
    expect(message).toContain('For phones in the same network: http://192.0.2.7:3000/api/v1\n');
  });

  it('nothing of phones where none gets in', () => {
    expect(startMessage({ ...STARTED, urlForPhones: undefined })).not.toContain('same network');
  });

  it('no file where the key is one’s own', () => {
    const message = startMessage({ ...STARTED, keyFile: undefined });
    expect(message).not.toContain('cat ');
    expect(message).toContain('<the key in BOOTSTRAP_API_KEY>');
  });

  it.each([
    [401, STARTED.keyFile, 'npm run admin -- key create --full'],
    [401, undefined, 'the key in BOOTSTRAP_API_KEY belongs to none'],
    [404, STARTED.keyFile, 'responds with 404'],
    [undefined, STARTED.keyFile, 'within 30 seconds'],
  ])('%s: what to do', (status, keyFile, text) => {
    const message = startMessage({ ...STARTED, status, keyFile });
    expect(message).toContain(text);
    expect(message).toContain('no virtual phone is paired');
    expect(message).not.toContain('curl');
  });
});
