import { isMistyped } from './mistyped';

describe('isMistyped', () => {
  it.each([
    ['stpo', 'stop'],
    ['sotp', 'stop'],
    ['prarar', 'parar'],
    ['unsubsrcibe', 'unsubscribe'],
    ['cnacel', 'cancel'],
  ])('%s is %s', (word, intended) => {
    expect(isMistyped(word, intended)).toBe(true);
  });

  it.each([
    ['stop', 'stop'],
    ['shop', 'stop'],
    ['step', 'stop'],
    ['stops', 'stop'],
    ['stoop', 'stop'],
    ['edn', 'end'],
    ['para', 'parar'],
    ['parara', 'parar'],
    ['arrest', 'arret'],
    ['', 'stop'],
  ])('%s is not %s', (word, intended) => {
    expect(isMistyped(word, intended)).toBe(false);
  });
});
