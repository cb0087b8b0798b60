import { versionCheck } from './pairing-check';

describe('the version of the app', () => {
  it.each([
    ['1.68.0', 'passed'],
    ['1.53.0', 'passed'],
    ['v2.0', 'passed'],
    ['1.52.9', 'failed'],
    ['0.99.0', 'failed'],
    ['1.6.0', 'failed'],
    [undefined, 'waiting'],
    ['', 'waiting'],
    ['unknown', 'waiting'],
  ])('%s: %s', (version, state) => {
    expect(versionCheck(version)).toBe(state);
  });
});
