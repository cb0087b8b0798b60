import { mayPrintLink } from './sign-in-link';

describe('the sign-in link of npm start', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{}, undefined, false],
    [{ PRINT_SIGN_IN_LINK: 'true' }, undefined, true],
    [{ PRINT_SIGN_IN_LINK: '' }, undefined, false],
    [{ PRINT_SIGN_IN_LINK: 'yes' }, undefined, false],
    [{ DASHBOARD: 'false' }, true, false],
    [{ DASHBOARD: 'false', PRINT_SIGN_IN_LINK: 'true' }, true, false],
    [{ DASHBOARD: 'true' }, true, true],
  ])('%j, terminal %s: %s', (env, isTerminal, expected) => {
    expect(mayPrintLink(env, isTerminal)).toBe(expected);
  });
});
