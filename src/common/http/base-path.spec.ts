import { withoutBasePath } from './base-path';

describe('withoutBasePath', () => {
  it.each([
    ['/sms', '/'],
    ['/sms?a=1', '/?a=1'],
    ['/sms/', '/'],
    ['/sms/api/v1/gateway/stats?a=/sms', '/api/v1/gateway/stats?a=/sms'],
    ['/sms/sms/x', '/sms/x'],
    ['/smsx/api', '/smsx/api'],
    ['/api/v1/gateway/stats', '/api/v1/gateway/stats'],
    ['/', '/'],
  ])('reads %s as %s', (url, path) => {
    expect(withoutBasePath(url, '/sms')).toBe(path);
    expect(withoutBasePath(url, '')).toBe(url);
  });
});
