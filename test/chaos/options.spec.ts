import { commandOf, readOptions } from './options';

/** The words of a command line, as a shell splits it. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

describe('the options of the chaos test', () => {
  it('of a run in CI are the same each time, and kill each process that holds a part of the service', () => {
    const options = readOptions(['--ci']);
    expect(options).toEqual(readOptions(['--ci']));
    expect(options.kills).toEqual(['api', 'worker', 'scheduler', 'Redis with its data', 'database']);
    expect(readOptions(['--ci', '--seed', '9'])).toEqual({ ...options, seed: 9 });
    const seeds = Array.from({ length: 5 }, () => readOptions(['--ci', '--seed', 'random']).seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
  });

  it.each([
    ['--seed 21'],
    ['--ci --seed random'],
    ["--rounds 3 --kill 'api, asked to stop' --kill worker"],
    ['--seconds-per-round 9 --messages 77'],
  ])('%s: the command it tells makes the same run', (line) => {
    const options = readOptions(wordsOf(line));
    const [npm, run, script, dashes, ...args] = wordsOf(commandOf(options));
    expect([npm, run, script, dashes]).toEqual(['npm', 'run', 'test:chaos', '--']);
    expect(readOptions(args)).toEqual(options);
  });

  it.each([
    ['--seed 0', '--seed must be a whole number from 1, not 0'],
    ['--rounds many', '--rounds must be a whole number'],
    ["--kill 'the cat'", '--kill must be one of: api; worker;'],
    ['--quick', '--quick'],
  ])('%s is refused with a reason', (line, reason) => {
    expect(() => readOptions(wordsOf(line))).toThrow(reason);
  });
});
