import { ValidationFailed } from '../../common/errors';
import { assertUncommonPassword } from './password-policy';

describe('a password', () => {
  const check = (password: string) => () => {
    assertUncommonPassword('newPassword', password, 'ada.lovelace@example.com');
  };

  it.each([
    'password',
    'PassWord',
    'password123!',
    'p@ssw0rd',
    '12345678',
    'qwertyuiop',
    'aaaaaaaa',
    'abcabcabc',
    'ada.lovelace@example.com',
    'Ada.Lovelace1',
    'messaging-gateway',
    'Messaging Gateway 1',
  ])('"%s" is refused by its field', (password) => {
    expect(check(password)).toThrow(ValidationFailed);
    expect(check(password)).toThrow(/^newPassword /);
  });

  it.each(['correct horse battery', 'another one', 'the new password', 'Kx7#pQ2m', 'пароль-пароль-1'])(
    '"%s" is taken',
    (password) => {
      expect(check(password)).not.toThrow();
    },
  );
});
