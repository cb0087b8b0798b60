import { pairingMessage } from './pairing-message';

describe('what npm start says about pairing', () => {
  it('is the code in groups and the addresses, without that of the cable', () => {
    const message = pairingMessage(
      [
        '4839201756',
        'https://sms.example.com/sms\tpublic\trelease',
        'http://192.168.1.10:3000/sms\tnetwork\tinsecure',
        'http://127.0.0.1:3000/sms\tcable\trelease',
        '',
      ].join('\n'),
    );
    expect(message).toContain('  address https://sms.example.com/sms  (or http://192.168.1.10:3000/sms)\n');
    expect(message).toContain('  code    4839 201 756\n');
    expect(message).not.toContain('127.0.0.1');
  });

  it.each([
    '',
    'error: no account',
    '4839201756\n',
    '4839201756\nhttp://127.0.0.1:3000/sms\tcable\trelease\n',
  ])('is nothing where no phone gets in: %j', (output) => {
    expect(pairingMessage(output)).toBeUndefined();
  });
});
