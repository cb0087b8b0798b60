import { listenErrorText } from './listen-error';

describe('listenErrorText', () => {
  it.each([
    ['EADDRINUSE', 3000, '0.0.0.0', 'Port 3000 is in use; set PORT to a free port'],
    ['EACCES', 80, '0.0.0.0', /^This process may not listen on port 80; set PORT to 1024 or more/],
    ['EAFNOSUPPORT', 3000, '::', /IPv6 address ::; .* 0\.0\.0\.0/],
    ['EADDRNOTAVAIL', 3000, '::1', /IPv6 address ::1; .* 0\.0\.0\.0/],
    [
      'EADDRNOTAVAIL',
      3000,
      '192.0.2.1',
      'This machine has no address 192.0.2.1; set HOST to one of its addresses',
    ],
    ['ENOTFOUND', 3000, 'nowhere.invalid', /nowhere\.invalid has no address; set HOST/],
  ])('says what to do about %s', (code, port, host, text) => {
    const found = listenErrorText(code, { variable: 'PORT', port, host });
    expect(found).toMatch(text);
    expect(found).not.toContain('\n');
  });

  it('knows no remedy for other errors', () => {
    expect(listenErrorText('EMFILE', { variable: 'PORT', port: 80, host: '::' })).toBeUndefined();
  });
});
